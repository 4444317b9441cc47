/// Records a key path that leads through a collection, for each element while it is in the collection.
///
/// A change of the collection, or of the path to it, adds and drops elements; nothing else is read
/// then. An announced insertion or removal of one range is followed element by element. Any other change takes
/// two passes: one asks which elements are alive, and one compares the collection with the list of its elements.
/// What is between the first difference and the last one is looked up then. Elements of elements have recordings of
/// their own. Use a recording where its recorder is used.
final class ElementRecording {
  /// The object at which the path begins; the recording ends with it.
  private(set) weak var root: (any KeyValueObservable)?
  let keyPath: String
  /// The path to the collection, and the path from an element on.
  private let way: ParsedKeyPath
  private let rest: ParsedKeyPath
  /// Where the recording was requested.
  private let place: SourcePlace
  private weak let recorder: KeyValueChangeRecorder?
  // Two, because the root may be an element, and even its observed path the same. They have a scope, because a
  // merged change couldn't be undone.
  private lazy var follower = KeyValueObserverController(owner: self, scope: recorder?.scope)
  private lazy var observer = KeyValueObserverController(owner: self, scope: recorder?.scope)
  private var elements = IdentityTable<Element>()
  /// The observable elements in the collection's order, each as often as the collection contains it.
  private var list: [ObjectIdentifier] = []
  /// Whether all elements are in the list, which then has the collection's indexes.
  private var isIndexed = true

  private final class Element {
    weak let object: (any KeyValueObservable)?
    /// How often the collection contains the element.
    var count = 1
    /// Nil if the element itself is observed.
    var nested: ElementRecording?

    init(_ object: any KeyValueObservable) { self.object = object }
  }

  /// What entered the collection and left it, as often as it did; what only moved may be in both.
  private struct Difference {
    var entered: [any KeyValueObservable] = []
    var left: [ObjectIdentifier] = []
  }

  /// Nil if the path doesn't lead through a collection.
  init?(
    _ root: any KeyValueObservable, _ path: ParsedKeyPath, at place: SourcePlace,
    for recorder: KeyValueChangeRecorder?
  ) {
    guard let end = collection(on: path.components, of: root) else { return nil }
    self.root = root
    keyPath = path.string
    self.recorder = recorder
    self.place = place
    way = ParsedKeyPath(path.components[...end]).reachingPrivateKeys()
    rest = ParsedKeyPath(path.components[(end + 1)...]).reachingPrivateKeys()
  }

  /// Begins to record the current elements and to follow the collection.
  ///
  /// - Throws: `KeyValueCodingError`; if it throws, nothing is recorded.
  func begin() throws {
    guard let root else { return }
    do {
      try follow(root)
      for element in take(difference(of: present)) { try record(element) }
    } catch {
      end()
      throw error
    }
  }

  /// Stops recording.
  func end() {
    follower.unobserveAll()
    observer.unobserveAll()
    for element in elements.values { element.nested?.end() }
    elements = IdentityTable()
    list = []
  }

  #if DEBUG || KVO_AUDIT
    /// Reports a recording that ends with its recorder before it could be useful.
    func reportIfUseless(since lifetime: TokenLifetime) {
      follower.reportIfUseless(keptBy: .recorder, since: lifetime)
      observer.reportIfUseless(keptBy: .recorder, since: lifetime)
    }
  #endif

  // MARK: The collection

  private func follow(_ root: some KeyValueObservable) throws {
    _ = try follower.observe(root, way.string, at: place) { recording, _, change in
      recording.collectionChanged(change)
    }
  }

  /// What the path leads to now: normally the collection.
  private var present: Any? { try? root.flatMap { try way.value(ofObject: $0) } }

  private func collectionChanged(_ change: KeyValueObservedChange<Any?>) {
    let value = present
    for element in take(announcedDifference(change, to: value) ?? difference(of: value)) {
      do {
        try record(element)
      } catch {
        KeyValueViolation.report(
          .unobservableValue,
          "\(error) It came into '\(way.string)', and its '\(rest.string)' is not recorded.")
      }
    }
  }

  /// Brings the list up to date with an announced insertion or removal of one range; nil if the collection has
  /// another number of elements then.
  ///
  /// Only the numbers of elements are compared. If an observer answers a change with another one, the answer may be
  /// told first. The numbers differ then when the last of these changes is told, at the latest.
  private func announcedDifference(
    _ change: KeyValueObservedChange<Any?>, to value: Any?
  ) -> Difference? {
    guard isIndexed, let range = change.ranges?.sole, let collection = value as? any OrderedToMany
    else { return nil }
    switch change.kind {
    case .insertion:
      guard range.lowerBound <= list.count, list.count + range.count == collection.anyCount
      else { return nil }
      let entered = observable(collection, in: range)
      guard entered.count == range.count else { return nil }
      list.insert(contentsOf: entered.map { ObjectIdentifier($0) }, at: range.lowerBound)
      return Difference(entered: entered)
    case .removal:
      guard range.upperBound <= list.count, list.count - range.count == collection.anyCount
      else { return nil }
      let left = Array(list[range])
      list.removeSubrange(range)
      return Difference(left: left)
    case .setting, .replacement: return nil
    }
  }

  /// Compares the collection with the list, and brings that up to date.
  private func difference(of value: Any?) -> Difference {
    forgetDead()
    // The elements of an observable class are compared without looking at each.
    if let collection = value as? any ToMany,
      type(of: collection).elementType is any KeyValueObservable.Type,
      let difference = collection.withIdentities(compare)
    {
      isIndexed = true
      return update(difference) { range in
        (collection as? any OrderedToMany).map { observable($0, in: range) }
          ?? Array(ElementCensus(collection).objects[range])
      }
    }
    let census = (value as? any ToMany).map { ElementCensus($0) } ?? ElementCensus([value])
    isIndexed = census.foreign.isEmpty
    let difference = census.identities.withUnsafeBufferPointer(compare)
    return update(difference) { Array(census.objects[$0]) }
  }

  private func compare(
    _ identities: UnsafeBufferPointer<ObjectIdentifier>
  ) -> ElementDifference {
    list.withUnsafeBufferPointer { ElementDifference(from: $0, to: identities) }
  }

  /// Brings the list up to date; `objects` are those of the collection in a range.
  private func update(
    _ difference: ElementDifference, _ objects: (Range<Int>) -> [any KeyValueObservable]
  ) -> Difference {
    let left = Array(list[difference.range])
    list.replaceSubrange(difference.range, with: difference.replacement)
    let start = difference.range.lowerBound
    let end = start + difference.replacement.count
    return Difference(entered: start < end ? objects(start..<end) : [], left: left)
  }

  private func observable(
    _ collection: any OrderedToMany, in range: Range<Int>
  ) -> [any KeyValueObservable] {
    range.compactMap { collection.anyElement(at: $0) as? any KeyValueObservable }
  }

  /// Forgets elements that have died; new ones may have their addresses.
  private func forgetDead() {
    guard elements.values.contains(where: { $0.object == nil }) else { return }
    for identity in elements.identities where elements[identity]?.object == nil {
      elements[identity]?.nested?.end()
      elements[identity] = nil
    }
    list.removeAll { elements[$0] == nil }
  }

  /// Takes over a difference, and ends recording what has left altogether.
  ///
  /// - Returns: The elements that are to be recorded.
  private func take(_ difference: Difference) -> [Element] {
    var arrived: [Element] = []
    // Those that enter come first, so that an element that only moved stays recorded.
    for object in difference.entered {
      let identity = ObjectIdentifier(object)
      if let element = elements[identity], element.object != nil {
        element.count += 1
      } else {
        elements[identity]?.nested?.end()
        let element = Element(object)
        elements[identity] = element
        arrived.append(element)
      }
    }
    var left: [Element] = []
    for identity in difference.left {
      guard let element = elements[identity] else { continue }
      element.count -= 1
      if element.count == 0 {
        elements[identity] = nil
        left.append(element)
      }
    }
    for element in left { drop(element) }
    return arrived
  }

  private func record(_ element: Element) throws {
    // Recording another one may have run code that took it out again.
    guard let object = element.object, elements[ObjectIdentifier(object)] === element else {
      return
    }
    element.nested = ElementRecording(object, rest, at: place, for: recorder)
    if let nested = element.nested { return try nested.begin() }
    try recorder?.checkRecordable(rest.string, of: object)
    try observe(object)
  }

  private func observe(_ element: some KeyValueObservable) throws {
    guard let recorder else { return }
    let path = try RecordedPath(rest.string, of: element)
    weak let recording = self
    let sink = path.sink(on: element, for: recorder) { recording?.hasRoot() ?? false }
    _ = try observer.observe(
      element, path.observed, options: RecordedPath.options, at: place, sink: sink)
  }

  /// Whether there is still the collection's owner, which an element may outlive; ends the recording otherwise.
  private func hasRoot() -> Bool {
    guard root != nil else {
      end()
      return false
    }
    return true
  }

  private func drop(_ element: Element) {
    if let nested = element.nested { return nested.end() }
    if let object = element.object { observer.unobserve(object) }
  }
}

/// The index at which a path leads into a collection of objects and continues; nil if there is none.
private func collection(
  on components: [PathComponent], of root: any KeyValueObservable
) -> Int? {
  var object: (any KeyValueObservable)? = root
  var schema: KeyValueSchema? = root.schema
  for (index, component) in components.dropLast().enumerated() {
    guard let property = schema?.property(component.name) else { return nil }
    if property.isPlainValue { return nil }
    let value = object.flatMap { property.anyValue(of: $0) }
    if value is any ToMany || unwrapped(property.valueType) is any ToMany.Type { return index }
    object = value as? any KeyValueObservable
    let type = unwrapped(property.valueType) as? any KeyValueObservable.Type
    schema = object?.schema ?? type.map { KeyValueSchema.schema(of: $0) }
  }
  return nil
}
