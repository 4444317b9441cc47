/// A program's objects of one class, by their numbers.
final class Pool<Object: AnyObject> {
  private var held: [Int: Object] = [:]
  private var known: [Int: Weak] = [:]

  private struct Weak {
    weak var object: Object?
  }

  var living: [Object] { known.keys.sorted().compactMap { self[$0] } }

  subscript(id: Int) -> Object? { known[id]?.object }

  func isHeld(_ id: Int) -> Bool { held[id] != nil }

  /// Makes and holds an object, unless there was one with that number.
  func create(_ id: Int, _ make: (Int) -> Object) {
    guard known[id] == nil else { return }
    let object = make(id)
    held[id] = object
    known[id] = Weak(object: object)
  }

  func drop(_ id: Int) { held[id] = nil }
}
