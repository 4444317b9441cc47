/// The values that a recorder has last seen of its keys, which show a change that it hasn't recorded.
struct SeenValues {
  private struct Place: Hashable {
    let object: ObjectIdentifier
    let key: String
  }

  private struct Seen {
    weak let object: (any KeyValueObservable)?
    let value: Any?
  }

  private var values: [Place: Seen] = [:]

  /// Notes the value that a key has after a change; the elements of a collection check themselves.
  ///
  /// It's read, because a change that was made in another one's callbacks may have been noted before that.
  mutating func note(_ object: any KeyValueObservable, _ key: String, _ kind: KeyValueChangeKind) {
    let place = Place(object: ObjectIdentifier(object), key: key)
    values[place] =
      kind == .setting
      ? Seen(object: object, value: try? object.value(forKey: key, privately: true))
      : nil
  }

  /// Forgets an object's keys, or one of them.
  mutating func forget(_ object: any KeyValueObservable, _ key: String? = nil) {
    let identity = ObjectIdentifier(object)
    values = values.filter { $0.key.object != identity || key != nil && $0.key.key != key }
  }

  /// Checks that a key has the value that was last seen, as far as values of its type can be compared.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func check(_ object: any KeyValueObservable, _ key: String) throws {
    guard let seen = values[Place(object: ObjectIdentifier(object), key: key)],
      seen.object === object
    else { return }
    let present = try object.value(forKey: key, privately: true)
    guard isSame(present, seen.value) == false else { return }
    func text(_ value: Any?) -> String { value.map(plainDescription) ?? "nil" }
    throw KeyValueLogError.invalidEdit(
      .init(
        type: object.schema.name, key: key,
        reason: "the last recorded change left \(text(seen.value)), and it's \(text(present)) now; "
          + "something changed it without being recorded"))
  }
}

/// Whether two values are equal, or the same objects; nil if that can't be known.
func isSame(_ left: Any?, _ right: Any?) -> Bool? {
  guard let left, let right else { return (left == nil) == (right == nil) }
  if let equal = isEqual(left, right) { return equal }
  if isClass(type(of: left)), isClass(type(of: right)) {
    return left as AnyObject === right as AnyObject
  }
  guard let left = (left as? any ToMany)?.references, let right = (right as? any ToMany)?.references
  else { return nil }
  return left.elementsEqual(right, by: ===)
}
