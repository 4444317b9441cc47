extension ToMany {
  /// The elements as plain references, if their type is an observable class.
  var observableReferences: [AnyObject]? {
    Self.elementType is any KeyValueObservable.Type ? references : nil
  }

  /// The elements, without casting each one, if their type is an observable class.
  var observableElements: [any KeyValueObservable]? {
    func objects<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable]? {
      references?.map { unsafeDowncast($0, to: Object.self) }
    }
    return (Self.elementType as? any KeyValueObservable.Type).flatMap { objects($0) }
  }
}
