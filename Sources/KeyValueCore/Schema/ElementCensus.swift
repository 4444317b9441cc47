/// A collection's elements, separated into objects that can be observed and all others.
struct ElementCensus {
  /// The objects in order, each as often as the collection contains it.
  private(set) var objects: [any KeyValueObservable] = []
  /// All others; nil stands for a collection, whose elements are here as well.
  private(set) var foreign: [Any?] = []

  init(_ elements: [Any?]) {
    for element in elements { add(element) }
  }

  init(_ collection: any ToMany) {
    if let elements = collection.observableElements {
      objects = elements
    } else {
      for element in collection.anyElements { add(element) }
    }
  }

  var identities: [ObjectIdentifier] { objects.map { ObjectIdentifier($0) } }

  private mutating func add(_ element: Any?) {
    switch element {
    case let object as any KeyValueObservable:
      objects.append(object)
    case let collection as any ToMany:
      // An operator takes the collection for one element, so it's computed.
      foreign.append(nil)
      for element in collection.anyElements { add(element) }
    default:
      foreign.append(element)
    }
  }
}
