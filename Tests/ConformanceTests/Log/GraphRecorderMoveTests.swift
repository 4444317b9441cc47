import KeyValueObserving
import Testing

@Suite("U. KeyValueChangeRecorder: what moves, comes back or leaves in one level")
struct GraphRecorderMoveTests {
  private let recorder = KeyValueChangeRecorder()

  @Test("X3 an object that moves takes along what only it leads to", arguments: Move.allCases)
  func moves(_ move: Move) throws {
    let (site, other) = (MovedSite(), MovedSite())
    let root = MovedRoot(site, other)
    let part = MovedPart()
    part.owner = site
    part.pins = [MovedPin(), MovedPin()]
    part.pins[0].next = part.pins[1]
    site.parts = [part, MovedPart()]
    var pins: [MovedPin] { part.pins }
    let pin = pins[0]
    try recorder.record(graph: root)
    let token = try move.follow(site, other)
    move.make(site, other, part, recorder)
    #expect(site.parts.count == 1 && other.parts.elementsEqual([part], by: ===))
    #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(site.parts.count == 2 && site.parts.contains { $0 === part } && other.parts.isEmpty)
      #expect(pins.count == 2 && pins[0] === pin && pin.next === pins[1])
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(site.parts.count == 1 && other.parts.elementsEqual([part], by: ===))
    }
    pin.size = 7
    #expect(try recorder.undo() && pin.size == 0)
    withExtendedLifetime(token) {}
  }

  /// How two changes become one level.
  enum OneLevel: CaseIterable {
    case group, transaction, transactionInGroup

    fileprivate func make(_ recorder: KeyValueChangeRecorder, _ changes: () -> Void) {
      switch self {
      case .group: recorder.group(changes)
      case .transaction: KeyValueTransaction.perform(changes)
      case .transactionInGroup: recorder.group { KeyValueTransaction.perform(changes) }
      }
    }
  }

  @Test(
    "X3 what comes back in a level and changes in it has its earlier value after undoing",
    arguments: OneLevel.allCases)
  func comesBackAndChanges(_ level: OneLevel) throws {
    let (site, part) = (MovedSite(), MovedPart())
    part.pins = [MovedPin()]
    let pin = part.pins[0]
    site.parts = [part]
    let root = MovedRoot(site)
    try recorder.record(graph: root)
    pin.size = 2
    part.pins.removeAll()
    level.make(recorder) {
      part.pins.append(pin)
      pin.size = 5
    }
    for _ in 1...2 {
      #expect(try recorder.undo() && part.pins.isEmpty && pin.size == 2)
      #expect(try recorder.redo() && part.pins[0] === pin && pin.size == 5)
    }
    #expect(try recorder.undo() && part.pins.isEmpty && pin.size == 2)
    #expect(try recorder.undo() && part.pins[0] === pin && pin.size == 2)
    #expect(try recorder.undo() && pin.size == 0)
    recorder.removeAll()
  }

  @Test(
    "X3 a weak key is undone that one level sets and whose target leaves in it",
    arguments: OneLevel.allCases, WeakTarget.allCases)
  func weakTargetLeaves(_ level: OneLevel, _ target: WeakTarget) throws {
    let (site, other, part) = (MovedSite(), MovedSite(), MovedPart())
    site.parts = [part]
    let root = MovedRoot(site, other)
    part.owner = target.isSet ? nil : other
    try recorder.record(graph: root)
    level.make(recorder) { target.change(part, root, other) }
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(part.owner === (target.isSet ? nil : other))
      #expect(root.sites.elementsEqual([site, other], by: ===) && site.parts[0] === part)
      #expect(try recorder.redo() && part.owner === (target.isSet ? other : nil))
      #expect(!root.sites.contains { $0 === other })
    }
  }

  /// What happens to a part's weak key and to what it refers to.
  enum WeakTarget: CaseIterable {
    case setAndRemoved, clearedAndRemoved, removedAndCleared, clearedAndBothRemoved

    fileprivate var isSet: Bool { self == .setAndRemoved }

    fileprivate func change(_ part: MovedPart, _ root: MovedRoot, _ other: MovedSite) {
      if self == .removedAndCleared { root.sites.removeLast() }
      part.owner = isSet ? other : nil
      switch self {
      case .setAndRemoved, .clearedAndRemoved: root.sites.removeLast()
      case .clearedAndBothRemoved: root.sites.removeAll()
      case .removedAndCleared: break
      }
    }
  }

  /// How a part moves from one site to another.
  enum Move: CaseIterable {
    case group, groupBackAndForth, appendedFirst, transaction, observer

    fileprivate func follow(_ site: MovedSite, _ other: MovedSite) throws -> KeyValueObservation? {
      guard self == .observer else { return nil }
      return site.kvo.parts.observe(options: [.old, .elementChanges]) { _, change in
        if change.kind == .removal, other.parts.isEmpty { other.parts = change.oldValue ?? [] }
        if change.kind == .insertion { other.parts.removeAll() }
      }
    }

    fileprivate func make(
      _ site: MovedSite, _ other: MovedSite, _ part: MovedPart, _ recorder: KeyValueChangeRecorder
    ) {
      switch self {
      case .group:
        recorder.group {
          site.parts.removeFirst()
          other.parts.append(part)
        }
      case .groupBackAndForth:
        recorder.group {
          site.parts.removeFirst()
          other.parts.append(part)
          other.parts.removeAll()
          site.parts.append(part)
          site.parts.removeLast()
          other.parts.append(part)
        }
      case .appendedFirst:
        recorder.group {
          other.parts.append(part)
          site.parts.removeFirst()
        }
      case .transaction:
        site.performChanges { site in
          site.parts.removeFirst()
          other.parts.append(part)
        }
      case .observer: site.parts.removeFirst()
      }
    }
  }
}

@KeyValueObservable
private final class MovedRoot {
  var sites: [MovedSite]

  init(_ sites: MovedSite...) { self.sites = sites }
}

@KeyValueObservable
private final class MovedSite {
  var parts: [MovedPart] = []
}

@KeyValueObservable
private final class MovedPart {
  var pins: [MovedPin] = []
  weak var owner: MovedSite?
}

@KeyValueObservable
private final class MovedPin {
  var size = 0
  var next: MovedPin?
}
