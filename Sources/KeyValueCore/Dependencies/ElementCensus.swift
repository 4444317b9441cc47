/// A collection's elements, separated into objects that can be observed and all others.
struct ElementCensus {
  /// The objects in order, each as often as the collection contains it.
  private(set) var objects: [any KeyValueObservable] = []
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

  /// How often the collection contains each object.
  var counts: [ObjectIdentifier: Int] {
    var counts: [ObjectIdentifier: Int] = [:]
    counts.reserveCapacity(objects.count)
    for object in objects { counts[ObjectIdentifier(object), default: 0] += 1 }
    return counts
  }

  /// Each object once, in order of first appearance.
  var distinctObjects: [any KeyValueObservable] {
    if objects.count < 2 { return objects }
    var known = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  private mutating func add(_ element: Any?) {
    switch element {
    case let object as any KeyValueObservable:
      objects.append(object)
    case let collection as any ToMany:
      for element in collection.anyElements { add(element) }
    default:
      foreign.append(element)
    }
  }
}
