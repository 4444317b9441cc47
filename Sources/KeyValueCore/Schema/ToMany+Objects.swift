extension ToMany {
  /// The elements without a cast of each, where their type says that they can be observed.
  var observableElements: [any KeyValueObservable]? {
    func objects<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable] {
      elements(ofOwnType: type)
    }
    return (Self.elementType as? any KeyValueObservable.Type).map { objects($0) }
  }
}
