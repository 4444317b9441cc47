/// A collection's elements, separated into objects that can be observed and all others.
struct ElementCensus {
  private(set) var counts: [ObjectIdentifier: Int] = [:]
  /// Each object once, in order of first appearance.
  private(set) var objects: [any KeyValueObservable] = []
  private(set) var foreign: [Any?] = []

  init(_ elements: [Any?]) {
    for element in elements { add(element) }
  }

  init(_ collection: any ToMany) {
    if let objects = collection.observableElements {
      counts.reserveCapacity(objects.count)
      for object in objects { add(object: object) }
    } else {
      for element in collection.anyElements { add(element) }
    }
  }

  private mutating func add(object: any KeyValueObservable) {
    let identifier = ObjectIdentifier(object)
    if counts.updateValue((counts[identifier] ?? 0) + 1, forKey: identifier) == nil {
      objects.append(object)
    }
  }

  private mutating func add(_ element: Any?) {
    switch element {
    case let object as any KeyValueObservable:
      add(object: object)
    case let collection as any ToMany:
      for element in collection.anyElements { add(element) }
    default:
      foreign.append(element)
    }
  }
}
