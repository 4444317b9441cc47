import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Many two-way bindings")
struct TwoWayBindingVolumeTests {
  private struct Pair {
    let mixer: Mixer
    let slider: Slider
    let binding: KeyValueBinding
    var volume: Int
    var value: Int
  }

  // A million takes 10 s in a debug build and passes there too.
  #if DEBUG
    private static let edits = TestVolume.either(200_000, few: 20_000)
  #else
    private static let edits = 1_000_000
  #endif

  @Test("1,000 pairs with lossy transformers agree after every random edit")
  func randomEdits() {
    // Neither function undoes the other, so an echo would show at once.
    let lossy = KeyValueTransformer<Int, Int>(forward: { $0 / 3 }, backward: { $0 &* 2 &+ 1 })
    var generator = SeededGenerator(seed: 5)
    var pairs = (0..<1000).map { _ -> Pair in
      let (mixer, slider) = (Mixer(), Slider())
      let binding = mixer.kvo.volume.bindTwoWay(to: slider.kvo.value, transformer: lossy)
      return Pair(mixer: mixer, slider: slider, binding: binding, volume: 1, value: 0)
    }
    var disagreements = 0
    for _ in 0..<Self.edits {
      let random = generator.next()
      let index = Int(random % 1000)
      let edit = Int(random >> 40)
      if random & (1 << 20) == 0 {
        pairs[index].mixer.volume = edit
        (pairs[index].volume, pairs[index].value) = (edit, edit / 3)
      } else {
        pairs[index].slider.value = edit
        (pairs[index].volume, pairs[index].value) = (edit * 2 + 1, edit)
      }
      let pair = pairs[index]
      if pair.mixer.volume != pair.volume || pair.slider.value != pair.value { disagreements += 1 }
    }
    #expect(disagreements == 0)
    #expect(pairs.allSatisfy { $0.mixer.volume == $0.volume && $0.slider.value == $0.value })
    for pair in pairs { pair.binding.invalidate() }
    #expect(pairs.allSatisfy { isIdle($0.mixer, $0.slider) })
  }

  @Test("Both sides agree after edits on two threads")
  func threads() async {
    let (left, right) = (Gauge(), Gauge())
    let binding = left.kvo.level.bindTwoWay(to: right.kvo.level)
    for round in 1...20 {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for level in 1...500 { left.level = level * round } }
        group.addTask { for level in 1...500 { right.level = -level * round } }
      }
      #expect(left.level == right.level)
    }
    binding.invalidate()
    #expect(isIdle(left, right))
  }
}
