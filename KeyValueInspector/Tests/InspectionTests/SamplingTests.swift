import KeyValueObserving
import Testing

@testable import Inspection

@Suite struct SamplingTests {
  private func choose(_ sizes: [Int], important: Set<Int> = [], budget: Int) -> [Int] {
    Sampling.choose(
      sizes: sizes, isImportant: sizes.indices.map(important.contains), budget: budget)
  }

  @Test("Everything is chosen if it fits into the budget")
  func all() {
    #expect(choose([], budget: 10) == [])
    #expect(choose([4, 4, 2], budget: 10) == [0, 1, 2])
  }

  @Test("Many equal sizes fill the budget, evenly distributed")
  func even() {
    let chosen = choose(Array(repeating: 2, count: 1000), budget: 100)
    #expect(chosen.count == 50)
    let gaps = zip(chosen.dropFirst(), chosen).map { $0 - $1 }
    #expect(gaps.dropLast().allSatisfy { (1...40).contains($0) })
    #expect(chosen.first! < 40 && chosen.last! > 900)
  }

  @Test("The largest one and important ones are always chosen")
  func important() {
    var sizes = Array(repeating: 1, count: 500)
    sizes[123] = 60
    let chosen = choose(sizes, important: [7, 400], budget: 100)
    #expect(Set(chosen).isSuperset(of: [7, 123, 400]))
    #expect(chosen.reduce(0) { $0 + sizes[$1] } <= 100)
    #expect(chosen == chosen.sorted())
  }

  @Test("A size above the budget is chosen alone")
  func large() {
    #expect(choose([1, 500, 1], budget: 100) == [1])
  }

  @Test("Any sizes stay within the budget, and use it", arguments: 1...40)
  func random(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func next(_ limit: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % limit)
    }
    let sizes = (0...next(400)).map { _ in 1 + next(30) }
    let budget = 40 + next(300)
    let chosen = choose(sizes, budget: budget)
    #expect(chosen.reduce(0) { $0 + sizes[$1] } <= max(budget, sizes.max()!))
    #expect(Set(chosen).count == chosen.count)
    #expect(!chosen.isEmpty)
    if sizes.reduce(0, +) > budget {
      // The rest of the budget has no room for a cascade of the mean size.
      let mean = sizes.reduce(0, +) / sizes.count
      let left = budget - chosen.reduce(0) { $0 + sizes[$1] }
      #expect(left <= mean || sizes.indices.allSatisfy { chosen.contains($0) || sizes[$0] > left })
    }
  }

  @Test("All of ten thousand changes are counted, and a sample of them is sent")
  func burst() {
    let person = Person()
    var inspection = inspection {
      let observation = person.kvo.age.observe { _, _ in }
      for age in 1...10_000 { person.age = age }
      observation.invalidate()
    }
    let batch = inspection.batch(now: 0, seconds: 1)
    #expect(batch.seen == 20_002)
    #expect(batch.shown == batch.cascades.reduce(0) { $0 + $1.spans.count })
    #expect((300...400).contains(batch.shown))
    #expect(inspection.object(id: "1")?.keys.first { $0.key == "age" }?.changes == 10_000)
  }
}
