/// Reads a stored array and changes it in place, whatever the object's class.
///
/// Not generic over the class, so that a client's module holds one `ArrayStorage` for each type of
/// element instead of one for each property.
@usableFromInline
final class ArrayAccess<Element> {
  @usableFromInline let get: (AnyObject) -> [Element]
  @usableFromInline let modify: (AnyObject, (inout [Element]) -> Void) -> Void

  // The downcasts are safe: a property passes only objects of its schema's class to its storage,
  // and `Root` is that class or a superclass.
  init<Root: AnyObject>(
    get: @escaping (Root) -> [Element],
    modify: @escaping (Root, (inout [Element]) -> Void) -> Void
  ) {
    self.get = { get(unsafeDowncast($0, to: Root.self)) }
    self.modify = { modify(unsafeDowncast($0, to: Root.self), $1) }
  }
}
