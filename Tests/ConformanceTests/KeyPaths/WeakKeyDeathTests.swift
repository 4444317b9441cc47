import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Has a key that depends on two keys of a weakly held object.
@KeyValueObservable
private final class Shepherd {
  weak var favourite: Sheep?

  @DependsOn("favourite.name", "favourite.hasFriend")
  var label: String {
    "\(favourite?.name ?? "nobody"), \(favourite?.hasFriend == true ? "with a friend" : "alone")"
  }
}

/// Has a key that depends on a collection, and on a weakly held element of it.
@KeyValueObservable
private final class Fold {
  var sheep: [Sheep] = []
  weak var favourite: Sheep?

  @DependsOn("sheep", "favourite.name")
  var label: String { "\(favourite?.name ?? "nobody") of \(sheep.count)" }
}

@KeyValueObservable
private final class Meadow {
  var folds: [Fold]

  init(_ folds: [Fold]) { self.folds = folds }
}

@Suite("P5. Observed weak keys")
struct WeakKeyDeathTests {
  private let log = ChangeLog()

  @Test("P5 An object's death is one change to nil of the weak key, and one of each dependent key")
  func observed() throws {
    let sheep = Sheep()
    var friend: Sheep? = Sheep()
    sheep.friend = friend
    let tokens = [
      sheep.observe(\.friend?.name, options: .new, changeHandler: log.handler("name")),
      sheep.observe(\.hasFriend, options: [.old, .new], changeHandler: log.handler("has")),
      try sheep.observe("friend", options: .new, changeHandler: log.handler("string")),
      sheep.observe(\.friend, options: [.new, .prior], changeHandler: log.handler("friend")),
      sheep.observe(\.friend, changeHandler: log.handler("bare")),
    ]
    friend = nil
    #expect(
      log.take() == [
        "name: setting, new: nil", "has: setting, new: false", "string: setting, new: nil",
        "friend: setting, new: nil", "bare: setting",
      ])
    friend = Sheep()
    sheep.friend = friend
    #expect(
      log.take() == [
        "friend: setting, prior", "name: setting, new: \"Dolly\"",
        "has: setting, old: false, new: true", "string: setting, new: Sheep",
        "friend: setting, new: Sheep", "bare: setting",
      ])
    sheep.friend = nil
    friend = nil
    #expect(
      log.take() == [
        "friend: setting, prior", "name: setting, new: nil", "has: setting, old: true, new: false",
        "string: setting, new: nil", "friend: setting, new: nil", "bare: setting",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(sheep))
  }

  @Test("P5 A death in a change in place of what a dependent key reads is part of that change")
  func inChange() {
    let fold = Fold()
    fold.sheep = [Sheep()]
    fold.favourite = fold.sheep[0]
    let tokens = [
      fold.observe(\.label, options: [.old, .new], changeHandler: log.handler("label")),
      fold.observe(\.label, changeHandler: log.handler("bare")),
    ]
    fold.sheep.removeAll()
    #expect(
      log.take() == [
        #"label: setting, old: "Dolly of 1", new: "nobody of 0""#, "bare: setting",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(fold))
  }

  @Test("P5 A death in a change in place is told once, also where another element reads that")
  func inChangeElsewhere() throws {
    let folds = [Fold(), Fold()]
    folds[1].sheep = [Sheep()]
    folds[0].favourite = folds[1].sheep[0]
    let meadow = Meadow(folds)
    let token = try meadow.observe(
      "folds.label", options: [.old, .new], changeHandler: log.handler("labels"))
    folds[1].sheep.removeAll()
    #expect(
      log.take() == [
        #"labels: setting, old: ["Dolly of 0", "nobody of 1"], "#
          + #"new: ["nobody of 0", "nobody of 0"]"#
      ])
    token.invalidate()
    #expect(isIdle(meadow) && isIdle(folds[0]) && isIdle(folds[1]))
  }

  @Test("P5 P7 A death in a change inside another one waits for the end of both")
  func inInnerChange() throws {
    func change(_ sheep: inout [Sheep], _ inner: () -> Void) {
      inner()
      sheep.append(Sheep())
    }
    let folds = [Fold(), Fold()]
    folds[1].sheep = [Sheep()]
    folds[0].favourite = folds[1].sheep[0]
    let meadow = Meadow(folds)
    let token = try meadow.observe(
      "folds.@max.label", options: [], changeHandler: log.handler("max"))
    change(&folds[0].sheep) { folds[1].sheep.removeAll() }
    #expect(log.take() == ["max: setting", "max: setting"])
    #expect(try meadow.value(forKeyPath: "folds.@max.label") as? String == "nobody of 1")
    token.invalidate()
    #expect(isIdle(meadow) && isIdle(folds[0]) && isIdle(folds[1]))
  }

  @Test("M2 P5 A pair that was never completed doesn't keep back a death")
  func afterOpenPair() throws {
    let fold = Fold()
    var dolly: Sheep? = Sheep()
    fold.sheep = [Sheep()]
    fold.favourite = dolly
    let meadow = Meadow([fold])
    let tokens = [
      try meadow.observe(
        "folds.@max.label", options: .new, changeHandler: log.handler("max")),
      fold.observe(\.label, options: .new, changeHandler: log.handler("label")),
    ]
    fold.willChangeValue(forKey: "sheep")
    dolly = nil
    #expect(
      log.take() == [
        #"max: setting, new: "nobody of 1""#, #"label: setting, new: "nobody of 1""#,
      ])
    fold.didChangeValue(forKey: "sheep")
    #expect(dolly == nil)
    for token in tokens { token.invalidate() }
    #expect(isIdle(meadow) && isIdle(fold))
  }

  @Test("P5 P7 A union of weakly held objects is told of the death of one")
  func union() throws {
    let herd = Herd()
    let (dolly, other) = (Sheep(), Sheep())
    var friend: Sheep? = Sheep()
    dolly.friend = friend
    herd.sheep = [dolly]
    let token = try herd.observe(
      "sheep.@unionOfObjects.friend", options: .new, changeHandler: log.handler("friends"))
    weak let former = friend
    friend = nil
    #expect(former == nil)
    dolly.friend = other
    #expect(log.take() == ["friends: setting, new: nil", "friends: setting, new: [Sheep]"])
    token.invalidate()
    #expect(isIdle(herd, dolly, other))
  }

  @Test("P5 N5 A key that depends on an object in several ways is notified of its death once")
  func severalWays() {
    var sheep: Sheep? = Sheep()
    let shepherd = Shepherd()
    shepherd.favourite = sheep
    let token = shepherd.observe(
      \.label, options: [.old, .new], changeHandler: log.handler("label"))
    sheep = nil
    #expect(log.take() == ["label: setting, new: \"nobody, alone\""])
    #expect(sheep == nil)
    token.invalidate()
    #expect(isIdle(shepherd))
  }

  @Test("P5 The death of an object after its replacement, or after the observation, doesn't notify")
  func letGo() {
    let sheep = Sheep()
    var (first, second): (Sheep?, Sheep?) = (Sheep(), Sheep())
    sheep.friend = first
    let token = sheep.observe(\.friend, changeHandler: log.handler("friend"))
    sheep.friend = second
    first = nil
    #expect(log.take() == ["friend: setting"])
    token.invalidate()
    if let second { #expect(isIdle(sheep, second)) }
    second = nil
    #expect(log.take() == [])
    #expect(first == nil)
  }

  @Test("P5 A binding of a weak key follows the object's death")
  func binding() {
    let (sheep, other) = (Sheep(), Sheep())
    var friend: Sheep? = Sheep()
    sheep.friend = friend
    let binding = sheep.kvo.hasFriend.bind(to: other.kvo.isHappy)
    #expect(other.isHappy)
    friend = nil
    #expect(!other.isHappy)
    #expect(friend == nil)
    binding.invalidate()
    #expect(isIdle(sheep, other))
  }

  @Test("P5 R5 A sequence of values doesn't keep a weak key's object alive, and has its death")
  func values() async throws {
    let sheep = Sheep()
    var friend: Sheep? = Sheep()
    weak let former = friend
    sheep.friend = friend
    let values = sheep.kvo.friend.values(bufferingPolicy: .unbounded)
    let untyped = try sheep.kvo("friend").values(bufferingPolicy: .unbounded)
    var (first, further) = (values.makeAsyncIterator(), values.makeAsyncIterator())
    var (text, furtherText) = (untyped.makeAsyncIterator(), untyped.makeAsyncIterator())
    var name = await first.next()??.name
    #expect(name == "Dolly")
    name = await further.next()??.name
    #expect(name == "Dolly")
    name = (await text.next() as? Sheep)?.name
    #expect(name == "Dolly")
    name = (await furtherText.next() as? Sheep)?.name
    #expect(name == "Dolly")
    friend = nil
    try #require(former == nil)
    var isNil = await first.next().map { $0 == nil }
    #expect(isNil == true)
    isNil = await text.next().map { $0 == nil }
    #expect(isNil == true)
    var late = values.makeAsyncIterator()
    isNil = await late.next().map { $0 == nil }
    #expect(isNil == true)
  }

  @Test("P5 R5 A sequence of changes doesn't keep a weak key's object alive, and has its death")
  func changes() async throws {
    let sheep = Sheep()
    var friend: Sheep? = Sheep()
    weak let former = friend
    let changes = sheep.kvo.friend.changes(options: [.initial, .new])
    var first = changes.makeAsyncIterator()
    sheep.friend = friend
    var further = changes.makeAsyncIterator()
    var name = await first.next()?.newValue??.name
    #expect(name == nil)
    name = await first.next()?.newValue??.name
    #expect(name == "Dolly")
    name = await further.next()?.newValue??.name
    #expect(name == "Dolly")
    friend = nil
    try #require(former == nil)
    let isNil = await first.next()?.newValue.map { $0 == nil }
    #expect(isNil == true)
  }

  @Test("P5 R5 A sequence behind a collection doesn't keep what the elements' weak keys refer to")
  func valuesBehindCollection() async throws {
    let herd = Herd()
    let (dolly, molly) = (Sheep(), Sheep())
    var friend: Sheep? = Sheep()
    friend?.name = "Polly"
    weak let former = friend
    dolly.friend = friend
    molly.friend = dolly
    herd.sheep = [dolly, molly]
    let values = herd.kvo.sheep[each: \.friend].values(bufferingPolicy: .unbounded)
    let changes = herd.kvo.sheep[each: \.friend].changes(options: [.initial, .new])
    var (first, changed) = (values.makeAsyncIterator(), changes.makeAsyncIterator())
    var names = await first.next()?.map { $0?.name }
    #expect(names == ["Polly", "Dolly"])
    names = await changed.next()?.newValue?.map { $0?.name }
    #expect(names == ["Polly", "Dolly"])
    var further = values.makeAsyncIterator()
    names = await further.next()?.map { $0?.name }
    #expect(names == ["Polly", "Dolly"])
    friend = nil
    try #require(former == nil)
    names = await first.next()?.map { $0?.name }
    #expect(names == [nil, "Dolly"])
    names = await changed.next()?.newValue?.map { $0?.name }
    #expect(names == [nil, "Dolly"])
    var late = values.makeAsyncIterator()
    names = await late.next()?.map { $0?.name }
    #expect(names == [nil, "Dolly"])
  }

  @Test("P5 D2 A death notifies dependent keys through another object and a collection")
  func behindPaths() throws {
    let herd = Herd()
    var friend: Sheep? = Sheep()
    herd.sheep = [Sheep(), Sheep()]
    herd.sheep[0].friend = friend
    let tokens = [
      try herd.observe("sheep.friend", changeHandler: log.handler("friends")),
      try herd.observe("sheep.hasFriend", options: .new, changeHandler: log.handler("have")),
      herd.observe(\.leader?.hasFriend, options: .new, changeHandler: log.handler("leader")),
    ]
    herd.leader = herd.sheep[0]
    #expect(log.take() == ["leader: setting, new: true"])
    friend = nil
    #expect(
      log.take() == [
        "friends: setting", "have: setting, new: [false, false]", "leader: setting, new: false",
      ])
    #expect(friend == nil)
    for token in tokens { token.invalidate() }
    #expect(isIdle(herd) && herd.sheep.allSatisfy { isIdle($0) })
  }

  @Test("P5 A weak key whose declared class has no macro isn't reported while its objects have it")
  func declaredWithoutMacro() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let kennel = Kennel()
      let token = kennel.observe(\.guest, changeHandler: log.handler("guest"))
      var dog: Dog? = Dog()
      kennel.guest = dog
      dog = nil
      #expect(log.take() == ["guest: setting", "guest: setting"])
      #expect(violations.take() == [] && dog == nil && kennel.guest == nil)
      token.invalidate()
    }
  }

  @Test("P5 A weak key to an object without the macro is reported once for its class")
  func unheard() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      var wolf: Wolf? = Wolf()
      for _ in 0..<2 {
        let sheep = Sheep()
        sheep.fear = wolf
        let token = sheep.observe(\.fear, changeHandler: log.handler("fear"))
        let dependent = sheep.observe(\.isAfraid, changeHandler: log.handler("afraid"))
        sheep.fear = nil
        token.invalidate()
        dependent.invalidate()
      }
      wolf = nil
      #expect(
        log.take() == ["fear: setting", "afraid: setting", "fear: setting", "afraid: setting"])
      #expect(
        violations.take() == [
          "tolerated: Sheep.fear refers weakly to an object of Wolf, which is not "
            + "@KeyValueObservable, so its death is not announced and observers keep what they were "
            + "told last. Annotate Wolf with @KeyValueObservable, or set fear to nil before the "
            + "object dies."
        ])
      #expect(wolf == nil)
    }
  }
}

private final class Wolf {}

private class Animal {}

@KeyValueObservable
private final class Dog: Animal {
  var name = "Rex"
}

@KeyValueObservable
private final class Kennel {
  weak var guest: Animal?
}

@KeyValueObservable
private final class Sheep: CustomStringConvertible {
  var name = "Dolly"
  var isHappy = false
  weak var friend: Sheep?
  weak var fear: Wolf?
  var hasFriend: Bool { friend != nil }
  var isAfraid: Bool { fear != nil }
  var description: String { "Sheep" }
}

@KeyValueObservable
private final class Herd {
  var sheep: [Sheep] = []
  var leader: Sheep?
}
