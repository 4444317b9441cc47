/// Names objects by their classes: `Employee`, and `Employee 2` for another one of the same class.
///
/// An object's number is the order in which the names are asked for, so it's the same in each run.
struct NumberedNames<Identity: Hashable> {
  private var names: [Identity: String] = [:]
  private var counts: [String: Int] = [:]

  mutating func name(of identity: Identity, _ className: String) -> String {
    if let known = names[identity] { return known }
    let count = counts[className, default: 0] + 1
    counts[className] = count
    let name = count == 1 ? className : "\(className) \(count)"
    names[identity] = name
    return name
  }
}

/// The names that an expectation's texts share.
final class ObjectNames {
  private var names = NumberedNames<ObjectIdentifier>()

  func name(of identity: ObjectIdentifier, _ className: String) -> String {
    names.name(of: identity, className)
  }

  func name(of object: AnyObject) -> String {
    name(of: ObjectIdentifier(object), "\(type(of: object))")
  }
}

/// An object that isn't retained, with what's needed to name it when it's gone.
final class WeakObject {
  private(set) weak var object: AnyObject?
  let identity: ObjectIdentifier
  let className: String

  init(_ object: AnyObject) {
    self.object = object
    identity = ObjectIdentifier(object)
    className = "\(type(of: object))"
  }

  func name(in names: ObjectNames) -> String { names.name(of: identity, className) }
}
