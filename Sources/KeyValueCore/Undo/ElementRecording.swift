/// Records a key path that leads through a collection, for each element while it is in the collection.
///
/// A change of the collection, or of the path to it, adds and drops elements; nothing else is read
/// then. Elements of elements have recordings of their own. Use a recording where its recorder is
/// used.
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
  // A merged change couldn't be undone.
  private lazy var observer = KeyValueObserverController(owner: self, scope: recorder?.scope)
  private var elements: [ObjectIdentifier: Element] = [:]

  private struct Element {
    weak let object: (any KeyValueObservable)?
    /// Nil if the element itself is observed.
    let nested: ElementRecording?
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
      for element in present where elements[ObjectIdentifier(element)] == nil {
        try add(element)
      }
    } catch {
      end()
      throw error
    }
  }

  /// Stops recording.
  func end() {
    observer.unobserveAll()
    for element in elements.values { element.nested?.end() }
    elements = [:]
  }

  #if DEBUG || KVO_AUDIT
    /// Reports a recording that ends with its recorder before it could be useful.
    func reportIfUseless(since lifetime: TokenLifetime) {
      observer.reportIfUseless(keptBy: .recorder, since: lifetime)
    }
  #endif

  // MARK: The collection

  private func follow(_ root: some KeyValueObservable) throws {
    _ = try observer.observe(root, way.string, at: place) { recording, _, _ in
      recording.collectionChanged()
    }
  }

  /// The observable elements, each once.
  private var present: [any KeyValueObservable] {
    var known: Set<ObjectIdentifier> = []
    return ElementCensus([try? root.flatMap { try way.value(ofObject: $0) }]).objects
      .filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  private func collectionChanged() {
    let present = present
    let identities = Set(present.map { ObjectIdentifier($0) })
    for (identity, element) in elements
    where element.object == nil || !identities.contains(identity) {
      drop(identity, element)
    }
    for element in present where elements[ObjectIdentifier(element)] == nil {
      do {
        try add(element)
      } catch {
        KeyValueViolation.report(
          .unobservableValue,
          "\(error) It came into '\(way.string)', and its '\(rest.string)' is not recorded.")
      }
    }
  }

  private func add(_ element: any KeyValueObservable) throws {
    let nested = ElementRecording(element, rest, at: place, for: recorder)
    if let nested {
      try nested.begin()
    } else {
      try recorder?.checkRecordable(rest.string, of: element)
      try observe(element)
    }
    elements[ObjectIdentifier(element)] = Element(object: element, nested: nested)
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

  private func drop(_ identity: ObjectIdentifier, _ element: Element) {
    elements[identity] = nil
    element.nested?.end()
    if element.nested == nil, let object = element.object { observer.unobserve(object) }
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
