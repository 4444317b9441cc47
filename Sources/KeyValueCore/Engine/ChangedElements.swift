/// An element of the first collection on an observed path, whose part of the value changes.
///
/// It doesn't retain the element: a transaction keeps it until its end.
struct ChangedElement {
  /// The hop that continues the path in the element.
  let hop: Hop
  /// The element, if the hop doesn't refer to it.
  private let own: (storage: RegistrarStorage, object: UnretainedObject)?

  /// The element of a hop, and the object that was mutated, which may be that element.
  init(_ hop: Hop, mutated object: AnyObject) {
    self.hop = hop
    if hop.isAttached(to: object), let storage = hop.storage,
      let object = object as? any KeyValueObservable
    {
      own = (storage, UnretainedObject(object: object))
    } else {
      own = nil
    }
  }

  /// The element while it is alive.
  var object: (any KeyValueObservable)? {
    if let own { own.storage.retained(own.object) } else { hop.weakObject }
  }
}

/// The elements whose parts of an observed value change, each once.
struct ChangedElements {
  /// Nil if anything but elements has changed, or might have.
  private var elements: [ObjectIdentifier: ChangedElement]? = [:]

  mutating func insert(_ element: ChangedElement) {
    elements?[ObjectIdentifier(element.hop)] = element
  }

  mutating func formUnion(_ others: ChangedElements) {
    guard let added = others.elements else { return becomeUnknown() }
    elements?.merge(added) { $1 }
  }

  mutating func becomeUnknown() { elements = nil }

  /// The elements, to be lent to an observer; nil if they're unknown.
  func lent(by tree: HopTree?) -> IndexRanges? {
    guard let tree, let elements, let hops = tree.inOrder(elements.values.map(\.hop)) else {
      return nil
    }
    return IndexRanges(
      lending: LentElements(hops.compactMap { elements[ObjectIdentifier($0)]?.object }))
  }
}

extension Hop {
  /// The hop that continues the observed path in an element of its first collection, if this hop is that one
  /// or behind it.
  var outermostElement: Hop? {
    lineage.reduce(nil) { $1.isElement && !$1.isInDependency ? $1 : $0 }
  }
}

extension HopTree {
  /// The elements' hops in the order of their collection; nil if one of them is in the collection no longer.
  fileprivate func inOrder(_ hops: [Hop]) -> [Hop]? {
    guard lock.withLock({ hops.allSatisfy { $0.member != nil } }) else { return nil }
    guard hops.count > 1, let parent = hops[0].parent,
      let places = places(of: hops.map(\.objectIdentity), behind: parent)
    else { return hops }
    return hops.sorted { places[$0.objectIdentity] ?? 0 < places[$1.objectIdentity] ?? 0 }
  }

  /// Where each of these elements is first in the collection behind a hop; nil if that can't be read any more.
  private func places(
    of elements: [ObjectIdentifier], behind hop: Hop
  ) -> [ObjectIdentifier: Int]? {
    let listed = lock.withLock { hop.fan?.takeUnretainedValue().list?.places(of: elements) }
    if let listed { return listed }
    guard let object = object(of: hop), let (collection, _) = collection(behind: hop, of: object)
    else { return nil }
    var list = ElementList(ElementCensus(collection).identities)
    return list.places(of: elements)
  }
}
