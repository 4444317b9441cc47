import MemoryInUse

/// The stage of observing at which an object's memory is counted.
public enum MemoryStage: String, Sendable, CaseIterable {
  /// The object alone.
  case unobserved = "bytes of an unobserved object"
  /// The bytes that one observation adds.
  case firstObservation = "bytes for the first observation"
  /// The bytes that a second observation adds.
  case secondObservation = "bytes for the second observation"
  /// The bytes left of both after their removal.
  case removed = "bytes left after removal"
}

/// How a system makes, observes and releases the counted objects.
public struct MemorySubject<Object: AnyObject, Token> {
  let make: () -> Object
  let observe: (Object) -> Token
  let remove: (Object, Token) -> Void
  let set: (Object) -> Void

  /// Creates a subject; `set` changes the observed property, which must notify.
  public init(
    make: @escaping () -> Object, observe: @escaping (Object) -> Token,
    remove: @escaping (Object, Token) -> Void, set: @escaping (Object) -> Void
  ) {
    self.make = make
    self.observe = observe
    self.remove = remove
    self.set = set
  }

  /// The bytes that objects take at a stage, more than at the previous stage.
  ///
  /// For removed observations it's the bytes that they leave behind. Afterwards every object is set
  /// once.
  public func bytes(_ stage: MemoryStage, _ count: Int) -> Double {
    // A class's first use builds permanent tables.
    let warmUp = make()
    remove(warmUp, observe(warmUp))

    // The storage for the objects is allocated before counting.
    var objects: [Object] = []
    objects.reserveCapacity(count)
    var tokens = [[Token](), [Token]()]
    for index in tokens.indices { tokens[index].reserveCapacity(count) }

    let empty = memory_in_use()
    for _ in 0..<count { objects.append(make()) }
    let unobserved = memory_in_use()
    var before = empty
    var after = unobserved
    if stage != .unobserved {
      for object in objects { tokens[0].append(observe(object)) }
      (before, after) = (after, memory_in_use())
    }
    if stage == .secondObservation || stage == .removed {
      for object in objects { tokens[1].append(observe(object)) }
      (before, after) = (after, memory_in_use())
    }
    if stage == .removed {
      for list in tokens.indices {
        for (object, token) in zip(objects, tokens[list]) { remove(object, token) }
        tokens[list].removeAll(keepingCapacity: true)
      }
      (before, after) = (unobserved, memory_in_use())
    }
    for object in objects { set(object) }
    for list in tokens { for (object, token) in zip(objects, list) { remove(object, token) } }
    return Double(Int(after) - Int(before))
  }
}

/// The bytes that the program has allocated now.
public func memoryInUse() -> Int { Int(memory_in_use()) }
