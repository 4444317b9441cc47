import KeyValueObserving

// Generic classes and subclasses; see `ClassShapes.swift`.

extension Shapes {
  // MARK: Generic classes

  @KeyValueObservable
  class Box<Value> {
    var value: Value
    var values: [Value] = []
    var isEmpty: Bool { values.isEmpty }
    let first: Value
    init(_ value: Value) {
      self.value = value
      first = value
    }
  }

  @KeyValueObservable
  final class IntBox: Box<Int> {
    var extra = 1
    var sum: Int { value + extra }
  }

  @KeyValueObservable
  class SubBox<Element: Hashable>: Box<[Element]> where Element: Comparable {
    var set: Set<Element> = []
    override var isEmpty: Bool { super.isEmpty && set.isEmpty }
  }

  @KeyValueObservable
  final class Packed<each Element> {
    var count = 0
  }

  // MARK: Inheritance

  class Unobserved {
    var base = 1
    init() {}
  }

  @KeyValueObservable
  class WithPlainSuperclass: Unobserved {
    var own = 2
    @DependsOn() override var base: Int {
      get { super.base }
      set { super.base = newValue }
    }
  }

  @KeyValueObservable
  class WithProtocols: Unobserved, CustomStringConvertible {
    var own = 2
    var description: String { "own \(own)" }
  }

  @KeyValueObservable
  class StatedConformance: KeyValueObservable {
    var own = 2
  }

  @KeyValueObservable
  class ComposedConformance: KeyValueObservable & CustomStringConvertible {
    var own = 2
    var description: String { "\(own)" }
  }

  protocol Refined: KeyValueObservable {}

  @KeyValueObservable
  class RefinedConformance: Refined {
    var own = 2
  }

  @KeyValueObservable
  class Animal {
    var name = "animal"
    var legs: Int { 4 }
    var sound: String { name }
    var mood = "calm"
  }

  @KeyValueObservable
  class Bird: Animal {
    var wings = 2
    override var legs: Int { wings }
    override var mood: String { didSet { moods += 1 } }
    var moods = 0
    override var name: String {
      get { super.name + "!" }
      set { super.name = newValue }
    }
  }

  @KeyValueObservable
  final class Owl: Bird {
    override var sound: String { "\(super.sound) \(wings)" }
  }

  @KeyValueObservable
  class NothingAdded: Animal {}

  class Unannotated: Owner {
    var extra = 1
    override var title: String { didSet { extra += 1 } }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
      var keys = super.keyPathsForValuesAffectingValue(forKey: key)
      if key == "title" { keys.insert("rank") }
      return keys
    }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
      key == "rank" ? false : super.automaticallyNotifiesObservers(forKey: key)
    }
    override func value(forUndefinedKey key: String) throws -> Any? {
      key == "ghost" ? 1 : try super.value(forUndefinedKey: key)
    }
    override func setNilValue(forKey key: String) throws { try super.setNilValue(forKey: key) }
  }

  @KeyValueObservable
  class Owner {
    var title = "owner"
    var rank = 1
  }
}
