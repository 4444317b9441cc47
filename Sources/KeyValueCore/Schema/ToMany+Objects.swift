extension ToMany {
  /// The elements as plain references, where their type says that they can be observed.
  var observableReferences: [AnyObject]? {
    Self.elementType is any KeyValueObservable.Type ? references : nil
  }

  /// The elements without a cast of each, where their type says that they can be observed.
  var observableElements: [any KeyValueObservable]? {
    func objects<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable]? {
      references?.map { unsafeDowncast($0, to: Object.self) }
    }
    return (Self.elementType as? any KeyValueObservable.Type).flatMap { objects($0) }
  }
}
