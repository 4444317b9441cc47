import KeyValueObserving
import Testing

/// Runs something in the middle of a read, once, after so many reads.
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

/// A collection whose getter, as that of any class, may take long or do more than read.
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

  /// The first half of loading a parcel, up to its having been loaded.
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

  /// Announces that anything may have happened to the parcels.
  func recount() { withChange(of: "parcels") {} }

  @DependsOn("parcels")
  var totals: [Int] {
    [stored.reduce(0) { $0 + $1.weight }, stored.map(\.weight).max() ?? 0]
  }
}

@Suite("P7 T1 A collection is counted anew while an insertion is under way")
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

  /// Checks that what is told of the next insertion is right, and so of a change of the parcel before it.
  private func check(_ van: Van, _ parcel: Parcel, _ heard: Heard) {
    parcel.weight += 10
    van.load(Parcel(1))
    #expect(heard.totals == van.totals)
  }

  @Test("P7 T1 A parcel that is counted anew while it is being attached to counts once")
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

  @Test("P7 T1 A parcel that comes while all are being counted anew counts once")
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

  @Test("P7 T1 R3 A parcel that comes while its collection is being attached to counts once")
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
