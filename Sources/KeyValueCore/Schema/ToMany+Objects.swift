extension ToMany {
  /// The elements as plain references, if their type is an observable class.
  var observableReferences: [AnyObject]? {
    Self.elementType is any KeyValueObservable.Type ? references : nil
  }

  /// Lends the elements' identities in order, if their type is an observable class.
  func withObservableIdentities<Result>(
    _ body: (UnsafeBufferPointer<ObjectIdentifier>) -> Result
  ) -> Result? {
    Self.elementType is any KeyValueObservable.Type ? withIdentities(body) : nil
  }

  /// The elements with these identities, without casting each one.
  ///
  /// - Parameter identities: Identities of elements, whose type is an observable class.
  func observableElements(
    _ identities: some Sequence<ObjectIdentifier>
  ) -> [any KeyValueObservable] {
    func objects<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable] {
      // The collection keeps its elements alive, and an identity is the element's address.
      identities.map { unsafeBitCast($0, to: Unmanaged<Object>.self).takeUnretainedValue() }
    }
    return (Self.elementType as? any KeyValueObservable.Type).map { objects($0) } ?? []
  }

  /// The elements, without casting each one, if their type is an observable class.
  var observableElements: [any KeyValueObservable]? {
    func objects<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable]? {
      references?.map { unsafeDowncast($0, to: Object.self) }
    }
    return (Self.elementType as? any KeyValueObservable.Type).flatMap { objects($0) }
  }
}
