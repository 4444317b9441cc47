import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Two-way bindings")
struct TwoWayBindingTests {
  private let log = ChangeLog()
  private let mixer = Mixer()
  private let slider = Slider()

  private let digits = KeyValueTransformer<Int, String>(
    forward: { String($0) }, backward: { try parse($0) })

  @Test("The source's value wins at first; then each side sets the other once per change")
  func agreement() {
    slider.value = 99
    let binding = mixer.kvo.volume.bindTwoWay(to: slider.kvo.value)
    #expect(mixer.volume == 1 && slider.value == 1)
    let tokens = [
      mixer.observe(\.volume, options: .new, changeHandler: log.handler("volume")),
      slider.observe(\.value, options: .new, changeHandler: log.handler("value")),
    ]
    mixer.volume = 2
    slider.value = 3
    slider.value = 3
    mixer.volume += 1
    #expect(
      log.take() == [
        "value: setting, new: 2", "volume: setting, new: 2",
        "volume: setting, new: 3", "value: setting, new: 3",
        "volume: setting, new: 3", "value: setting, new: 3",
        "value: setting, new: 4", "volume: setting, new: 4",
      ])
    #expect("\(binding)" == "KeyValueBinding(volume <-> Slider, valid)")
    for token in tokens { token.invalidate() }
    binding.invalidate()
    mixer.volume = 0
    #expect(slider.value == 4 && isIdle(mixer, slider))
    slider.value = 8
    #expect(mixer.volume == 0)
  }

  @Test("When a transformer throws, the other side keeps its value")
  func transformerErrors() {
    let binding = mixer.kvo.age.bindTwoWay(
      to: slider.kvo.text, transformer: digits, onError: { [log] in log.note("\($0)") })
    #expect(slider.text == "36")
    slider.text = "37"
    #expect(mixer.age == 37)
    slider.text = "x"
    #expect(mixer.age == 37 && slider.text == "x" && log.take() == ["not a number."])
    mixer.age = 38
    #expect(slider.text == "38")
    slider.text = "039"
    #expect(mixer.age == 39 && slider.text == "039")
    binding.invalidate()
  }

  @Test("A change that a binding makes is not passed back at the end of a transaction")
  func transactions() {
    let whole = KeyValueTransformer<Double, String>(
      forward: { "\(Int($0))" }, backward: { Double($0) ?? -1 })
    mixer.gain = 3.7
    let tokens = [
      mixer.observe(\.gain, options: .new, changeHandler: log.handler("gain")),
      slider.observe(\.text, options: .new, changeHandler: log.handler("text")),
    ]
    // The binding is made in a transaction, and sets the target during it.
    let binding = mixer.performChanges {
      $0.kvo.gain.bindTwoWay(to: slider.kvo.text, transformer: whole)
    }
    #expect(log.take() == ["text: setting, new: \"3\""])
    // Both sides change: the source's observers are notified first, and its value wins.
    mixer.performChanges {
      slider.text = "8"
      $0.gain = 5.5
    }
    #expect(
      log.take() == [
        "gain: setting, new: 5.5", "text: setting, new: \"8\"", "text: setting, new: \"5\"",
      ])
    mixer.performChanges { _ in slider.text = "9" }
    #expect(log.take() == ["text: setting, new: \"9\"", "gain: setting, new: 9.0"])
    #expect(mixer.gain == 9 && slider.text == "9")
    for token in tokens { token.invalidate() }
    binding.invalidate()
  }

  @Test("B3 Another object that a transaction sets is passed back, even an equal one")
  func equalObjects() {
    let (first, second) = (Folder(), Folder())
    let bindings = [
      first.kvo.tag.bindTwoWay(to: second.kvo.tag),
      first.kvo.tags.bindTwoWay(to: second.kvo.tags),
    ]
    first.tag = Sticker("a")
    first.tags = [Sticker("b"), Sticker("c")]
    second.performChanges {
      $0.tag = Sticker("a")
      $0.tags[1] = Sticker("c")
    }
    #expect(first.tag === second.tag)
    #expect(first.tags.map(ObjectIdentifier.init) == second.tags.map(ObjectIdentifier.init))
    for binding in bindings { binding.invalidate() }
  }

  @Test("B3 An equal object with which a validator replaces another one is passed back")
  func validationOfObjects() {
    let (folder, cabinet) = (Folder(), Cabinet())
    let binding = folder.kvo.tag.bindTwoWay(to: cabinet.kvo.tag, validates: true)
    folder.tag = Sticker("a")
    #expect(cabinet.tag === cabinet.known && folder.tag === cabinet.known)
    binding.invalidate()
  }

  @KeyValueObservable
  final class Sticker: Equatable {
    var name: String

    init(_ name: String) {
      self.name = name
    }

    static func == (left: Sticker, right: Sticker) -> Bool { left.name == right.name }
  }

  @KeyValueObservable
  final class Folder {
    var tag = Sticker("")
    var tags: [Sticker] = []
  }

  /// A class whose validator knows the one object of a name.
  @KeyValueObservable
  final class Cabinet {
    let known = Sticker("a")
    var tag = Sticker("")

    func validateTag(_ value: inout Sticker) throws {
      if value == known { value = known }
    }
  }

  @Test("B3 Equal values whose data can't be compared aren't passed back")
  func equalValues() {
    let label = Label()
    mixer.volume = 40
    let token = mixer.observe(\.volume, options: .new, changeHandler: log.handler("volume"))
    // Each value has memory of its own.
    let dots = KeyValueTransformer<Int, Label.Wording>(
      forward: { Label.Wording(text: String(repeating: ".", count: $0)) },
      backward: { $0.text.count })
    let binding = mixer.performChanges {
      $0.kvo.volume.bindTwoWay(to: label.kvo.wording, transformer: dots)
    }
    #expect(label.wording.text.count == 40 && log.take() == [])
    token.invalidate()
    binding.invalidate()
  }

  /// A class with a value that can't be encoded.
  @KeyValueObservable
  final class Label {
    struct Wording: Equatable {
      var text = ""
    }

    var wording = Wording()
  }

  @Test("A value set while a transaction's change is passed back is passed back as well")
  func setDuringDeferred() {
    let binding = mixer.kvo.gain.bindTwoWay(
      to: slider.kvo.value,
      transformer: KeyValueTransformer(forward: { Int($0.rounded()) }, backward: { Double($0) }))
    let token = mixer.observe(\.gain, options: .new) { [log, slider] mixer, change in
      log.note("\(change.newValue!)")
      guard mixer.gain == 7 else { return }
      if log.lines.count == 1 {
        mixer.gain = 7.25
        slider.value = 7
      }
    }
    KeyValueTransaction.perform { slider.value = 7 }
    #expect(log.take() == ["7.0", "7.25", "7.0"])
    #expect(mixer.gain == 7 && slider.value == 7)
    token.invalidate()
    binding.invalidate()
  }

  @Test("When the forward function throws, both sides keep their values")
  func forwardErrors() {
    let binding = slider.kvo.text.bindTwoWay(
      to: mixer.kvo.age, transformer: digits.inverted, onError: { [log] in log.note("\($0)") })
    #expect(mixer.age == 36 && log.take() == ["not a number."])
    mixer.age = 1
    #expect(slider.text == "1")
    slider.text = "y"
    #expect(mixer.age == 1 && slider.text == "y" && log.take() == ["not a number."])
    binding.invalidate()
  }

  @Test("A placeholder stands for nil at the source; an edit of the target sets a value")
  func placeholders() {
    let next = Mixer()
    let plain = mixer.kvo.title.bindTwoWay(to: slider.kvo.text, placeholder: "none")
    mixer.title = nil
    #expect(slider.text == "none")
    slider.text = "A"
    #expect(mixer.title == "A")
    plain.invalidate()
    let marked = mixer.kvo.next.title.bindTwoWay(to: slider.kvo.text, placeholder: "nothing")
    #expect(slider.text == "nothing")
    slider.text = "typed"
    #expect(slider.text == "typed" && mixer.next == nil)
    mixer.next = next
    #expect(slider.text == "Mix")
    slider.text = "B"
    #expect(next.title == "B")
    marked.invalidate()
  }

  @Test("Optional paths through several objects follow the object that they lead to")
  func paths() {
    let (first, second) = (Mixer(), Mixer())
    let binding = mixer.kvo.next.title.bindTwoWay(to: slider.kvo.optionalText)
    let same = mixer.kvo.next.volume.bindTwoWay(to: slider.kvo.optionalNumber)
    #expect(slider.optionalText == nil && slider.optionalNumber == nil)
    mixer.next = first
    #expect(slider.optionalText == "Mix" && slider.optionalNumber == 1)
    slider.optionalText = nil
    slider.optionalNumber = 5
    #expect(first.title == nil && first.volume == 5)
    mixer.next = second
    first.title = "silent"
    #expect(slider.optionalText == "Mix" && slider.optionalNumber == 1)
    slider.optionalText = "S"
    #expect(second.title == "S" && first.title == "silent")
    binding.invalidate()
    same.invalidate()
    #expect(isIdle(mixer, slider, first, second))
  }

  @Test("nil for a non-optional source is an error")
  func nilForValue() {
    let next = Mixer()
    mixer.next = next
    var errors: [any Error] = []
    let binding = mixer.kvo.next.volume.bindTwoWay(
      to: slider.kvo.optionalNumber, onError: { errors.append($0) })
    slider.optionalNumber = nil
    #expect(
      errors.map { "\($0)" } == [
        "Mixer.volume (component 2 of 'next.volume') cannot be nil: it holds Int."
      ])
    #expect(next.volume == 1)
    binding.invalidate()
  }

  @Test("A validator's replacement that the source cannot hold is an error")
  func unfitAnswer() {
    let picky = Picky()
    var errors: [any Error] = []
    let binding = picky.kvo.number.bindTwoWay(
      to: slider.kvo.value, validates: true, onError: { errors.append($0) })
    slider.value = 1
    slider.value = 2
    #expect(
      errors.map { "\($0)" } == [
        "Picky.number cannot be nil: it holds Int.",
        "Picky.number was given a value of the wrong type: it holds Int, which cannot take \"two\" "
          + "of type String exactly.",
      ])
    #expect(picky.number == 0)
    binding.invalidate()
  }

  /// A class whose validator returns values that the property cannot hold.
  @KeyValueObservable
  final class Picky {
    var number = 0
    func validateNumber(_ value: inout Any?) throws { value = value as? Int == 1 ? nil : "two" }
  }

  @Test("A computed source that depends on another key is bound in both directions")
  func computed() {
    let binding = mixer.kvo.doubled.bindTwoWay(to: slider.kvo.value)
    slider.value = 8
    #expect(mixer.volume == 4)
    mixer.volume = 5
    #expect(slider.value == 10)
    slider.value = 7
    // The setter stores 7 / 2 = 3, so the source reads as 6; the slider keeps 7.
    #expect(mixer.doubled == 6 && slider.value == 7)
    binding.invalidate()
  }

  @Test(
    "The side that is set validates; a replaced value sets both sides, an error neither")
  func validation() {
    let binding = mixer.kvo.limit.bindTwoWay(
      to: slider.kvo.value, validates: true, onError: { [log] in log.note("\($0)") })
    slider.value = 70
    #expect(mixer.limit == 70)
    slider.value = 500
    #expect(mixer.limit == 120 && slider.value == 120)
    slider.value = -3
    #expect(mixer.limit == 120 && slider.value == -3 && log.take() == ["too small."])
    binding.invalidate()
    let even = mixer.kvo.volume.bindTwoWay(to: slider.kvo.even, validates: true)
    mixer.volume = 7
    #expect(mixer.volume == 6 && slider.even == 6)
    slider.even = 9
    #expect(mixer.volume == 9 && slider.even == 9)
    even.invalidate()
    let title = mixer.kvo.title.bindTwoWay(to: slider.kvo.optionalText, validates: true)
    slider.optionalText = ""
    #expect(mixer.title == nil && slider.optionalText == nil)
    title.invalidate()
  }

  @Test("B3 A value that isn't a number, which a validator accepts, isn't passed back as replaced")
  func validationOfNotANumber() {
    let (first, second) = (Meter(), Meter())
    let binding = first.kvo.level.bindTwoWay(to: second.kvo.level, validates: true)
    let token = first.observe(\.level, options: .new, changeHandler: log.handler("first"))
    first.level = .nan
    #expect(second.level.isNaN && log.take() == ["first: setting, new: nan"])
    first.level = -1
    #expect(second.level == 0)
    // The binding was registered first, so the replacement is told inside of its call.
    #expect(log.take() == ["first: setting, new: 0.0", "first: setting, new: -1.0"])
    token.invalidate()
    binding.invalidate()
  }

  @KeyValueObservable
  final class Meter {
    var level = 1.0

    func validateLevel(_ value: inout Double) throws {
      if value < 0 { value = 0 }
    }
  }

  @Test("A member's value that the validator of the whole value replaces is passed back")
  func validationOfMembers() {
    let window = Window()
    let token = slider.observe(\.value, options: .new, changeHandler: log.handler("value"))
    let target = slider.kvo.value.bindTwoWay(to: window.kvo.frame.width, validates: true)
    slider.value = 30
    // The height isn't the slider's.
    #expect(window.frame == Window.Frame(width: 30, height: 30))
    #expect(log.take() == ["value: setting, new: 30"])
    slider.value = 500
    #expect(window.frame == Window.Frame(width: 100, height: 100) && slider.value == 100)
    #expect(log.take() == ["value: setting, new: 500", "value: setting, new: 100"])
    window.frame.width = 50
    #expect(slider.value == 50)
    target.invalidate()
    let source = window.kvo.frame.width.bindTwoWay(to: slider.kvo.value, validates: true)
    slider.value = 700
    #expect(window.frame.width == 100 && slider.value == 100)
    source.invalidate()
    token.invalidate()
    #expect(isIdle(window, slider))
  }

  /// A class whose validator adjusts each member of a value.
  @KeyValueObservable
  final class Window {
    struct Frame: Equatable {
      var width = 10
      var height = 10
    }

    var frame = Frame()

    func validateFrame(_ value: inout Frame) throws {
      value.width = min(value.width, 100)
      value.height = max(value.height, value.width)
    }
  }

  @Test("A replaced value does not reach the other side if the binding has ended meanwhile")
  func endedWhileValidating() {
    var binding: KeyValueBinding?
    let end = { binding?.invalidate() }
    let targets = slider.observe(\.even) { slider, _ in if slider.even == 6 { end() } }
    binding = mixer.kvo.volume.bindTwoWay(to: slider.kvo.even, validates: true)
    mixer.volume = 7
    #expect(mixer.volume == 7 && slider.even == 6)
    targets.invalidate()
    let sources = mixer.observe(\.limit) { mixer, _ in if mixer.limit == 120 { end() } }
    binding = mixer.kvo.limit.bindTwoWay(to: slider.kvo.value, validates: true)
    slider.value = 500
    #expect(mixer.limit == 120 && slider.value == 500)
    sources.invalidate()
    #expect(isIdle(mixer, slider))
  }

  @Test("A value that a side adjusts in didSet does not return to the other side")
  func clamping() {
    let binding = mixer.kvo.volume.bindTwoWay(to: slider.kvo.clamped)
    mixer.volume = 50
    #expect(mixer.volume == 50 && slider.clamped == 10)
    slider.clamped = 3
    #expect(mixer.volume == 3)
    binding.invalidate()
  }

  @Test("A change never comes back, even through a lossy transformer")
  func lossy() {
    let binding = mixer.kvo.gain.bindTwoWay(
      to: slider.kvo.value,
      transformer: KeyValueTransformer(forward: { Int($0.rounded()) }, backward: { Double($0) }))
    let token = mixer.observe(\.gain, options: .new, changeHandler: log.handler("gain"))
    mixer.gain = 2.4
    #expect(slider.value == 2 && mixer.gain == 2.4)
    slider.value = 3
    #expect(slider.value == 3 && mixer.gain == 3)
    #expect(log.take() == ["gain: setting, new: 2.4", "gain: setting, new: 3.0"])
    token.invalidate()
    binding.invalidate()
  }

  @Test("Chains and cycles agree and settle, whichever member changes")
  func chains() {
    for isCircle in [false, true] {
      let mixers = (0..<12).map { _ in Mixer() }
      var bindings = zip(mixers, mixers.dropFirst()).map {
        $0.kvo.volume.bindTwoWay(to: $1.kvo.volume)
      }
      if isCircle { bindings.append(mixers[11].kvo.volume.bindTwoWay(to: mixers[0].kvo.volume)) }
      for (index, mixer) in mixers.enumerated() {
        mixer.volume = index + 100
        #expect(mixers.allSatisfy { $0.volume == index + 100 })
      }
      for binding in bindings { binding.invalidate() }
      #expect(mixers.allSatisfy { isIdle($0) })
    }
  }

  @Test("Objects that are all bound to each other agree and settle")
  func complete() {
    let mixers = (0..<4).map { _ in Mixer() }
    var bindings: [KeyValueBinding] = []
    for (i, first) in mixers.enumerated() {
      for second in mixers[(i + 1)...] {
        bindings.append(first.kvo.volume.bindTwoWay(to: second.kvo.volume))
      }
    }
    for (index, mixer) in mixers.enumerated() {
      mixer.volume = index + 100
      #expect(mixers.allSatisfy { $0.volume == index + 100 })
    }
    for binding in bindings { binding.invalidate() }
  }

  @Test("The work grows with the bindings, not with the ways through them")
  func manyWays() {
    var bindings = (0..<8).map { _ in mixer.kvo.volume.bindTwoWay(to: slider.kvo.value) }
    let tokens = [
      mixer.observe(\.volume, options: .new, changeHandler: log.handler("volume")),
      slider.observe(\.value, options: .new, changeHandler: log.handler("value")),
    ]
    mixer.volume = 7
    #expect(log.take().count == 65)
    #expect(slider.value == 7)
    for token in tokens { token.invalidate() }
    let mixers = (0..<6).map { _ in Mixer() }
    for (i, first) in mixers.enumerated() {
      for second in mixers[(i + 1)...] {
        bindings.append(first.kvo.volume.bindTwoWay(to: second.kvo.volume))
      }
    }
    let notices = mixers.map {
      $0.observe(\.volume, options: .new, changeHandler: log.handler("volume"))
    }
    mixers[2].volume = 9
    #expect(mixers.allSatisfy { $0.volume == 9 })
    #expect(log.take().count == 76)
    for notice in notices { notice.invalidate() }
    for binding in bindings { binding.invalidate() }
  }

  @Test("An equal value, set again, goes along the whole chain")
  func equalInChain() {
    let bindings = [
      mixer.kvo.volume.bindTwoWay(to: slider.kvo.value),
      slider.kvo.value.bindTwoWay(to: mixer.kvo.age),
    ]
    let token = mixer.observe(\.age, options: .new, changeHandler: log.handler("age"))
    mixer.volume = 7
    mixer.volume = 7
    #expect(log.take() == ["age: setting, new: 7", "age: setting, new: 7"])
    token.invalidate()
    for binding in bindings { binding.invalidate() }
  }

  @Test("A binding with its opposite, and a property bound to itself, settle")
  func opposites() {
    let bindings = [
      mixer.kvo.volume.bindTwoWay(to: slider.kvo.value),
      slider.kvo.value.bindTwoWay(to: mixer.kvo.volume),
      mixer.kvo.age.bindTwoWay(to: mixer.kvo.age),
      mixer.kvo.age.bindTwoWay(to: mixer.kvo.limit),
    ]
    slider.value = 4
    mixer.limit = 5
    #expect(mixer.volume == 4 && mixer.age == 5)
    for binding in bindings { binding.invalidate() }
    #expect(isIdle(mixer, slider))
  }

  @Test("Either side can be deallocated, even while the other side changes")
  func deaths() {
    var source: Mixer? = Mixer()
    var target: Slider? = Slider()
    weak let weakSource = source
    weak let weakTarget = target
    let other = source!.kvo.volume.bindTwoWay(to: slider.kvo.value)
    let first = source!.kvo.volume.bindTwoWay(to: target!.kvo.value)
    target = nil
    #expect(weakTarget == nil && !first.isValid && other.isValid)
    source?.volume = 3
    #expect(slider.value == 3)
    source = nil
    #expect(weakSource == nil && !other.isValid)
    slider.value = 4
    #expect(isIdle(slider))
    var mortal: Mixer? = Mixer()
    weak let weakMortal = mortal
    let killer = slider.observe(\.value) { [log] slider, _ in
      if slider.value == 9 { mortal = nil }
      log.note("\(slider.value)")
    }
    let binding = mortal!.kvo.volume.bindTwoWay(to: slider.kvo.value)
    slider.value = 9
    #expect(weakMortal == nil && !binding.isValid && log.take() == ["1", "9"])
    killer.invalidate()
    #expect(isIdle(slider))
  }

  @Test("A side that cannot be set, and a target that is not a key, are violations")
  func misuse() {
    ViolationLog.record { violations in
      let (mixer, person, slider) = (Mixer(), Person(), Slider())
      let bindings = [
        mixer.kvo.serial.bindTwoWay(to: slider.kvo.value),
        person.kvo.fullName.bindTwoWay(to: slider.kvo.text),
        slider.kvo.value.bindTwoWay(to: mixer.kvo.serial),
        person.kvo.firstName.count.bindTwoWay(to: slider.kvo.value),
      ]
      #expect(bindings.allSatisfy { !$0.isValid } && isIdle(mixer, person, slider))
      #expect(slider.value == 0 && slider.text == "")
      // A computed member of a value has no name at run time.
      #expect(
        violations.take() == [
          "tolerated: Mixer.serial can be read but not set: it is declared with let.",
          "unobservablePath: Person.fullName can be read but not set: it has no setter.",
          "tolerated: Mixer.serial can be read but not set: it is declared with let.",
          "unobservablePath: Person.firstName._ can be read but not set: a member on the way to it "
            + "cannot be set.",
        ])
      _ = person.kvo.firstName.bindTwoWay(to: mixer.kvo[\Mixer.next!.title!])
      #expect(
        violations.take() == [
          "unobservablePath: A plain key path of Mixer names no key of it: "
            + "\\Mixer.next!.title!. Only one property can be named this way; for a longer path "
            + "write .next.title, without brackets."
        ])
    }
  }
}
