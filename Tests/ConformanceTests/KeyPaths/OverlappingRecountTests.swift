import KeyValueObserving
import Testing

/// Runs a closure once, in the middle of a read, after a given number of reads.
private final class Trigger {
  private var remaining = 0
  private var action: (() -> Void)?
  private(set) var hasRun = false

  func arm(after reads: Int, _ action: @escaping () -> Void) {
    remaining = reads
    self.action = action
    hasRun = false
  }

  func pull() {
    guard let action else { return }
    remaining -= 1
    guard remaining < 0 else { return }
    self.action = nil
    hasRun = true
    action()
  }
}

@KeyValueObservable
private final class Parcel {
  @KeyValueIgnored let trigger = Trigger()
  @KeyValueIgnored private var grams: Int

  init(_ grams: Int) {
    self.grams = grams
  }

  @NotifiesManually @DependsOn() var weight: Int {
    get {
      trigger.pull()
      return grams
    }
    set { withChange(of: "weight") { grams = newValue } }
  }
}

/// A collection whose getter may run other code, as any class's getter may.
@KeyValueObservable
private final class Van {
  @KeyValueIgnored let trigger = Trigger()
  @KeyValueIgnored private var stored = [Parcel(1), Parcel(2)]

  @NotifiesManually @DependsOn() var parcels: [Parcel] {
    get {
      trigger.pull()
      return stored
    }
    set { withChange(of: "parcels") { stored = newValue } }
  }

  /// The first half of loading a parcel: will and the insertion, without did.
  func beginLoading(_ parcel: Parcel) {
    willChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "parcels")
    stored.insert(parcel, at: 0)
  }

  func endLoading() {
    didChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "parcels")
  }

  func load(_ parcel: Parcel) {
    beginLoading(parcel)
    endLoading()
  }

  /// Announces that the parcels may have changed in any way.
  func recount() { withChange(of: "parcels") {} }

  @DependsOn("parcels")
  var totals: [Int] {
    [stored.reduce(0) { $0 + $1.weight }, stored.map(\.weight).max() ?? 0]
  }
}

@Suite("P7 T1 Recounting a collection during an insertion")
struct OverlappingRecountTests {
  private final class Heard {
    var totals = [0, 0]
  }

  private func observe(_ van: Van, _ heard: Heard) throws -> [KeyValueObservation] {
    try ["parcels.@sum.weight", "parcels.@max.weight"].enumerated().map { place, path in
      try van.observe(path, options: .new) { _, change in
        if case .some(let value as Int) = change.newValue { heard.totals[place] = value }
      }
    }
  }

  /// Checks the aggregates after a change of the parcel and one more insertion.
  private func check(_ van: Van, _ parcel: Parcel, _ heard: Heard) {
    parcel.weight += 10
    van.load(Parcel(1))
    #expect(heard.totals == van.totals)
  }

  @Test("P7 T1 A parcel that is recounted while it is being attached counts once")
  func duringAttachment() throws {
    var runs = 0
    for reads in 0..<8 {
      let (van, heard, parcel) = (Van(), Heard(), Parcel(5))
      let tokens = try observe(van, heard)
      parcel.trigger.arm(after: reads) { van.recount() }
      van.load(parcel)
      runs += parcel.trigger.hasRun ? 1 : 0
      check(van, parcel, heard)
      withExtendedLifetime(tokens) {}
    }
    #expect(runs >= 2)
  }

  @Test("P7 T1 A parcel inserted during a recount counts once")
  func duringCounting() throws {
    var runs = 0
    for reads in 0..<12 {
      let (van, heard, parcel) = (Van(), Heard(), Parcel(5))
      let tokens = try observe(van, heard)
      van.trigger.arm(after: reads) { van.beginLoading(parcel) }
      van.recount()
      if van.trigger.hasRun {
        runs += 1
        van.endLoading()
        check(van, parcel, heard)
      }
      withExtendedLifetime(tokens) {}
    }
    #expect(runs >= 2)
  }

  @Test("P7 T1 R3 A parcel inserted while its collection is being attached counts once")
  func duringRegistration() throws {
    var runs = 0
    for reads in 0..<12 {
      let (van, heard, parcel) = (Van(), Heard(), Parcel(5))
      van.trigger.arm(after: reads) { van.beginLoading(parcel) }
      let tokens = try observe(van, heard)
      if van.trigger.hasRun {
        runs += 1
        van.endLoading()
        check(van, parcel, heard)
      }
      withExtendedLifetime(tokens) {}
    }
    #expect(runs >= 2)
  }
}
