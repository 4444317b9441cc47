import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Dependent keys: cycles and diamonds")
struct DependencyCycleTests {
  private let log = ChangeLog()

  @Test("D4 keys that depend on each other can be observed, and each notifies once per change")
  func mutualKeys() throws {
    let ring = Ring()
    let tokens = try ["north", "east", "south"].map { key in
      try ring.observe(key, options: [.old, .new, .prior], changeHandler: log.handler(key))
    }
    ring.north = 2
    #expect(
      log.take() == [
        "north: setting, old: 1, prior", "east: setting, old: 1, prior",
        "south: setting, old: 1, prior",
        "north: setting, old: 1, new: 2", "east: setting, old: 1, new: 1",
        "south: setting, old: 1, new: 1",
      ])
    ring.south = 3
    #expect(log.take().count == 6)
    for token in tokens { token.invalidate() }
    #expect(isIdle(ring))
  }

  @Test("D4 a key that depends on itself can be observed, and notifies once")
  func selfDependency() throws {
    #expect(Ring.keyPathsForValuesAffectingValue(forKey: "west") == ["west"])
    let ring = Ring()
    let token = try ring.observe("west", options: [.old, .new], changeHandler: log.handler("west"))
    ring.west = 2
    #expect(log.take() == ["west: setting, old: 1, new: 2"])
    token.invalidate()
    #expect(isIdle(ring))
  }

  @Test("D2 D4 a relationship can depend on a key of its own value, stored or computed")
  func dependsOnAKeyOfItsOwnValue() {
    let kennel = Kennel()
    let (rex, fido) = (ChainLink("Rex"), ChainLink("Fido"))
    (kennel.first, kennel.second) = (rex, fido)
    kennel.stored = rex
    let tokens = [
      kennel.observe(\.stored, changeHandler: log.handler("stored")),
      kennel.observe(\.dog, changeHandler: log.handler("computed")),
    ]
    rex.name = "Max"
    #expect(log.take() == ["stored: setting", "computed: setting"])
    kennel.stored = fido
    kennel.usesSecond = true
    #expect(log.take() == ["stored: setting", "computed: setting"])
    rex.name = "silent"
    #expect(log.take() == [])
    #expect(isIdle(rex))
    fido.name = "Bello"
    #expect(log.take() == ["stored: setting", "computed: setting"])
    for token in tokens { token.invalidate() }
    #expect(isIdle(kennel, fido))
  }

  @Test("D4 a cycle through two objects can be observed, and each side notifies once per change")
  func cycleAcrossObjects() {
    let (left, right) = (Scale(), Scale())
    left.partner = right
    right.partner = left
    let tokens = [
      left.observe(\.reading, options: .new, changeHandler: log.handler("left")),
      right.observe(\.reading, options: .new, changeHandler: log.handler("right")),
    ]
    left.weight = 5
    #expect(log.take() == ["left: setting, new: 5", "right: setting, new: -5"])
    right.weight = 1
    #expect(log.take() == ["left: setting, new: 4", "right: setting, new: -4"])
    left.partner = nil
    #expect(log.take() == ["left: setting, new: 5", "right: setting, new: -4"])
    right.weight = 2
    #expect(log.take() == ["right: setting, new: -3"])
    for token in tokens { token.invalidate() }
    #expect(isIdle(left) && isIdle(right))
  }

  @Test("D4 an object that is its own partner notifies once per change, and detaches completely")
  func cycleOverOneObject() {
    let scale = Scale()
    scale.partner = scale
    let token = scale.observe(
      \.reading, options: [.old, .new], changeHandler: log.handler("reading"))
    scale.weight = 2
    scale.partner = nil
    scale.partner = scale
    scale.weight = 3
    #expect(
      log.take() == [
        "reading: setting, old: 0, new: 0", "reading: setting, old: 0, new: 2",
        "reading: setting, old: 2, new: 0", "reading: setting, old: 0, new: 0",
      ])
    token.invalidate()
    #expect(isIdle(scale))
  }

  @Test("D4 a source reached on two branches is an edge on each (trap 11, branchVisitedScope)")
  func diamond() {
    let diamond = Diamond()
    let token = diamond.observe(
      \.top, options: [.old, .new], changeHandler: log.handler("top"))
    diamond.bottom = 2
    diamond.leftOnly = 1
    diamond.rightOnly = 1
    #expect(
      log.take() == [
        "top: setting, old: 2, new: 4", "top: setting, old: 4, new: 5",
        "top: setting, old: 5, new: 6",
      ])
    token.invalidate()
    #expect(isIdle(diamond))
  }

  @Test("D4 one object behind two relationships keeps both edges (trap 11, visitedAliasCollision)")
  func aliases() {
    let desk = Desk()
    let person = Person()
    desk.writer = person
    desk.reader = person
    let token = desk.observe(\.caption, options: .new, changeHandler: log.handler("caption"))
    person.firstName = "Grace"
    #expect(log.take() == ["caption: setting, new: \"Grace to Grace\""])
    desk.writer = nil
    #expect(log.take() == ["caption: setting, new: \"- to Grace\""])
    person.firstName = "Mary"
    #expect(log.take() == ["caption: setting, new: \"- to Mary\""])
    desk.reader = nil
    person.firstName = "silent"
    #expect(log.take() == ["caption: setting, new: \"- to -\""])
    #expect(isIdle(person))
    token.invalidate()
  }

  @Test("D4 equal dependencies of different keys are different edges, each removed with its key")
  func equalDependenciesOfTwoKeys() {
    let person = Person()
    let desk = Desk()
    desk.writer = person
    let caption = desk.observe(\.caption, changeHandler: log.handler("caption"))
    let signature = desk.observe(\.signature, changeHandler: log.handler("signature"))
    person.firstName = "Grace"
    #expect(log.take() == ["caption: setting", "signature: setting"])
    caption.invalidate()
    person.firstName = "Mary"
    #expect(log.take() == ["signature: setting"])
    signature.invalidate()
    #expect(isIdle(person) && isIdle(desk))
  }

  @Test("D4 a cycle reached through a path notifies once per change")
  func cycleBehindAPath() throws {
    let holder = ScaleHolder()
    let (left, right) = (Scale(), Scale())
    left.partner = right
    right.partner = left
    holder.scale = left
    let token = try holder.observe(
      "scale.reading", options: [.old, .new], changeHandler: log.handler("reading"))
    left.weight = 5
    right.weight = 2
    holder.scale = right
    left.weight = 6
    #expect(
      log.take() == [
        "reading: setting, old: 0, new: 5", "reading: setting, old: 5, new: 3",
        "reading: setting, old: 3, new: -3", "reading: setting, old: -3, new: -4",
      ])
    token.invalidate()
    #expect(isIdle(left, right) && isIdle(holder))
  }
}

@KeyValueObservable
private final class Ring {
  @DependsOn("east") var north = 1
  @DependsOn("south") var east = 1
  @DependsOn("north") var south = 1
  var west = 1

  class func keyPathsForValuesAffectingWest() -> Set<String> { ["west"] }
}

/// Two keys, one stored and one computed, that depend on the names of their own values.
@KeyValueObservable
private final class Kennel {
  var first: ChainLink?
  var second: ChainLink?
  var usesSecond = false
  @DependsOn("stored.name") var stored: ChainLink?
  @DependsOn("dog.name") var dog: ChainLink? { usesSecond ? second : first }
}

/// Each side's reading depends on the other's.
@KeyValueObservable
private final class Scale {
  var weight = 0
  weak var partner: Scale?
  @DependsOn("partner.reading")
  var reading: Int { weight - (partner?.weight ?? 0) }
}

@KeyValueObservable
private final class ScaleHolder {
  var scale: Scale?
}

@KeyValueObservable
private final class Diamond {
  var bottom = 1
  var leftOnly = 0
  var rightOnly = 0
  var left: Int { bottom + leftOnly }
  var right: Int { bottom + rightOnly }
  var top: Int { left + right }
}

@KeyValueObservable
private final class Desk {
  var writer: Person?
  var reader: Person?
  var caption: String { "\(writer?.firstName ?? "-") to \(reader?.firstName ?? "-")" }
  var signature: String { "signed \(writer?.firstName ?? "-")" }
}
