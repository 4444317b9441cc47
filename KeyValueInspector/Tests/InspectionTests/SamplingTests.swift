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

  @Test("The largest one is chosen first, important ones before others")
  func important() {
    var sizes = Array(repeating: 1, count: 500)
    sizes[123] = 60
    let chosen = choose(sizes, important: [7, 400], budget: 100)
    #expect(Set(chosen).isSuperset(of: [7, 123, 400]))
    #expect(chosen.reduce(0) { $0 + sizes[$1] } <= 100)
    #expect(chosen == chosen.sorted())
  }

  @Test("Important ones and the largest one stay within the budget")
  func manyImportant() {
    #expect(choose([200, 200, 200], important: [0, 1, 2], budget: 400) == [0, 1])
    #expect(choose([199, 199, 199, 200], important: [0, 1, 2], budget: 400) == [0, 3])
    #expect(choose([150, 150, 60, 150, 1], important: [0, 1, 3], budget: 250) == [0, 2, 4])
    #expect(choose([1, 1, 1, 1, 1, 1, 4], important: [1, 3, 5], budget: 6) == [1, 3, 6])
    // Too many important ones are spread evenly, too.
    let chosen = choose(
      Array(repeating: 1, count: 1000), important: Set(0..<1000), budget: 100)
    #expect(chosen == Array(stride(from: 0, to: 1000, by: 10)))
  }

  @Test("A size above the budget is chosen alone")
  func large() {
    #expect(choose([1, 500, 1], budget: 100) == [1])
    #expect(choose([1, 500, 1, 300], important: [0, 3], budget: 100) == [1])
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
    let important = Set(sizes.indices.filter { _ in next(3) == 0 })
    let chosen = choose(sizes, important: important, budget: budget)
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
  @Test("A batch stays within its limit, whatever violates")
  func violations() {
    let person = Person()
    var inspection = inspection {
      KeyValueViolation.withHandler { _ in
      } perform: {
        let observations = (1...150).map { _ in
          person.kvo.name.observe { person, _ in person.didChangeValue(forKey: "age") }
        }
        for number in 1...3 { person.name = "\(number)" }
        for observation in observations { observation.invalidate() }
      }
    }
    let batch = inspection.batch(now: 0, seconds: 1)
    // Each change has 301 spans. All registrations and their ends would have room beside one of them.
    #expect(batch.seen == 1_203)
    #expect(batch.shown == 400)
    let sizes = batch.cascades.map(\.spans.count)
    #expect(sizes.filter { $0 > 1 } == [220])
    #expect(sizes.reduce(0, +) == 400)
  }
}
