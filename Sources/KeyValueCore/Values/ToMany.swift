/// A property's value that holds many elements, whatever their type.
package protocol ToMany {
  static var elementType: Any.Type { get }
  static var empty: Self { get }
  /// The key path of the number of elements; as a component it reads `@count`.
  static var countKeyPath: AnyKeyPath { get }
  /// The elements, with nil for a nil element.
  var anyElements: [Any?] { get }
  /// The elements in an `[Any]`, or in an `[Any?]` if one of them is nil.
  var untypedElements: Any { get }
  var anyCount: Int { get }
  /// The elements as plain references, without copying an array; nil if their type isn't a class.
  var references: [AnyObject]? { get }
  /// Lends the elements' identities in order; nil, with nothing called, if their type isn't a class.
  func withIdentities<Result>(
    _ body: (UnsafeBufferPointer<ObjectIdentifier>) -> Result
  ) -> Result?
  /// The values, one for each element, as a collection of this kind.
  func mapped(_ values: [Any?]) -> Any
  /// The same for values in a typed collection.
  func mapped(typed values: any ToMany) -> Any
  /// A collection of this type with a value's elements, each converted as a value that's set by key; nil if
  /// it can't hold one of them.
  static func converting(_ value: any ToMany) -> Any?
  /// An element as a collection of this type holds it, converted as a value that's set by key; unchanged if it
  /// can't hold it.
  static func held(_ element: AnyHashable) -> AnyHashable
}

extension ToMany {
  package func withIdentities<Result>(
    _ body: (UnsafeBufferPointer<ObjectIdentifier>) -> Result
  ) -> Result? {
    // A reference has the same bits as the object's identity.
    references?.withUnsafeBufferPointer {
      $0.withMemoryRebound(to: ObjectIdentifier.self) { body($0) }
    }
  }

  package func mapped(typed values: any ToMany) -> Any { mapped(values.anyElements) }

  package static func converting(_ value: any ToMany) -> Any? { nil }

  package static func held(_ element: AnyHashable) -> AnyHashable { element }

  /// The elements of an array of exactly this type, or the non-nil elements of an array of its
  /// optional; nil for any other collection.
  ///
  /// A cast alone would convert the elements of another array one by one.
  @inline(__always)
  func present<Element>(_ type: Element.Type) -> [Element]? {
    if Self.self == [Element].self { return self as? [Element] }
    guard Self.self == [Element?].self else { return nil }
    return (self as? [Element?])?.compactMap { $0 }
  }
}

extension ToMany where Self: Collection {
  package var anyCount: Int { count }

  package var references: [AnyObject]? {
    guard isClass(Element.self) else { return nil }
    // Arrays of class instances have one layout, whatever the class.
    return unsafeBitCast(Array(self), to: [AnyObject].self)
  }

  package var anyElements: [Any?] {
    let elements = Array(self)
    if isOptional(Element.self), let optional = Element.self as? any AnyOptional.Type {
      return elements.boxed { optional.flattened(at: UnsafeRawPointer($0)) }
    }
    if isExistential(Element.self) { return elements.boxed { flattened($0.pointee) } }
    return elements.boxed { $0.pointee }
  }

  package var untypedElements: Any {
    isOptional(Element.self)
      ? [Any]().mapped(anyElements) : Array(self).boxed { $0.pointee } as [Any]
  }

  package static func held(_ element: AnyHashable) -> AnyHashable {
    guard let held = convertedElement(element.base) as Element? else { return element }
    return asHashable(held) ?? element
  }
}

extension Array {
  /// Boxes each element in a loop over pointers, because copies of an unknown type are slow.
  ///
  /// An empty array returns early, because `unsafeUninitializedCapacity` writes a count into the
  /// empty storage that all threads share, which the thread sanitizer reports.
  @inline(__always)
  fileprivate func boxed<Box>(_ box: (UnsafePointer<Element>) -> Box) -> [Box] {
    if isEmpty { return [] }
    return withUnsafeBufferPointer { elements in
      [Box](unsafeUninitializedCapacity: elements.count) { boxes, count in
        for index in elements.indices {
          boxes.initializeElement(at: index, to: box(elements.baseAddress! + index))
        }
        count = elements.count
      }
    }
  }
}

extension Array: ToMany, OrderedToMany {
  package static var elementType: Any.Type { Element.self }
  package static var empty: [Element] { [] }
  package static var countKeyPath: AnyKeyPath { \[Element].count }

  /// Arrays keep nil as nil.
  package func mapped(_ values: [Any?]) -> Any {
    values.contains { $0 == nil } ? values as Any : values.map { $0! }
  }

  package func mapped(typed values: any ToMany) -> Any { values.untypedElements }

  package func anyElement(at index: Int) -> Any? { flattened(self[index]) }

  package func hasSameBits(at index: Int, as other: [Element], at otherIndex: Int) -> Bool {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { others in
        let (size, stride) = (MemoryLayout<Element>.size, MemoryLayout<Element>.stride)
        return areSameBits(bytes, from: index * stride, others, from: otherIndex * stride, size)
      }
    }
  }

  package func index(ofElement element: AnyHashable) -> Int? {
    let element = Self.held(element)
    let type = Element.self
    // Any other element is hashed as it is.
    let mayDiffer =
      isOptional(type) || isExistential(type) || isClass(type) || type == AnyHashable.self
    return firstIndex { (mayDiffer ? asHashable($0) : $0 as? AnyHashable) == element }
  }

  package func elements(at indexes: IndexRanges) -> [Element] {
    let indexes = indexes.within(count)
    if let range = indexes.sole {
      return range.count == 1 ? [self[range.lowerBound]] : Array(self[range])
    }
    return indexes.ranges.flatMap { self[$0] }
  }

  package mutating func insertElements(_ elements: [Any], at indexes: IndexRanges) {
    if let range = indexes.sole {
      return replaceElements(in: range.lowerBound..<range.lowerBound, with: elements)
    }
    // In one pass: an insertion at each place would move all that's behind it.
    var merged: [Element] = []
    merged.reserveCapacity(count + elements.count)
    var next = 0
    var entering = elements[...]
    for range in indexes.ranges {
      let end = next + range.lowerBound - merged.count
      merged += self[next..<end]
      for element in entering.prefix(range.count) { merged.append(typedElement(element)) }
      entering = entering.dropFirst(range.count)
      next = end
    }
    merged += self[next...]
    self = merged
  }

  package mutating func replaceElements(in range: Range<Int>, with elements: [Any]) {
    if range.isEmpty, range.lowerBound == count {
      for element in elements { append(typedElement(element)) }
    } else {
      replaceSubrange(range, with: elements.lazy.map { typedElement($0) })
    }
  }

  package static func converting(_ value: any ToMany) -> Any? {
    value is any OrderedToMany ? convertedElements(value) as [Element]? : nil
  }

  package mutating func removeElements(at indexes: IndexRanges) {
    if let range = indexes.sole {
      removeSubrange(range)
    } else {
      removeSubranges(indexes.set)
    }
  }
}

extension Set: ToMany, UnorderedToMany {
  package static var elementType: Any.Type { Element.self }
  package static var empty: Set<Element> { [] }

  #if !canImport(ObjectiveC)
    /// Reads the references as identities, without run-time metadata and without retaining an element.
    ///
    /// Reading a set's elements in order calls nothing of their type, and a reference has the same bits as
    /// the object's identity. (An Objective-C set might lie behind the Swift one on Apple's systems.)
    package func withIdentities<Result>(
      _ body: (UnsafeBufferPointer<ObjectIdentifier>) -> Result
    ) -> Result? {
      guard isClass(Element.self) else { return nil }
      let identities = Array(unsafeBitCast(self, to: Set<ObjectIdentifier>.self))
      return identities.withUnsafeBufferPointer { body($0) }
    }
  #endif

  package static var countKeyPath: AnyKeyPath { \Set<Element>.count }

  /// Sets drop nil and duplicates.
  package func mapped(_ values: [Any?]) -> Any {
    asSet(values.compactMap { $0 })
  }

  package static func converting(_ value: any ToMany) -> Any? {
    guard value is any UnorderedToMany else { return nil }
    return (convertedElements(value) as [Element]?).map { Set($0) }
  }

  package func elements(in others: Set<AnyHashable>) -> Set<Element> {
    Set(
      others.compactMap { other in
        convertedElement(other.base).flatMap(firstIndex(of:)).map { self[$0] }
      })
  }

  package func elements(notIn others: Set<AnyHashable>) -> Set<Element> {
    let others = Set(others.compactMap { convertedElement($0.base) as Element? })
    return filter { !others.contains($0) }
  }

  package func missing(of others: Set<AnyHashable>) -> Set<Element> {
    Set(others.map { typedElement($0.base) as Element }.filter { !contains($0) })
  }

  /// Combines the set with others, of which it must be able to hold those that it adds.
  package mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>) {
    switch kind {
    case .union: formUnion(others.map { typedElement($0.base) as Element })
    case .minus: subtract(others.compactMap { convertedElement($0.base) as Element? })
    case .intersect: formIntersection(others.compactMap { convertedElement($0.base) as Element? })
    case .set: self = Set(others.map { typedElement($0.base) as Element })
    }
  }
}

/// A collection's elements, converted to the element type of another; nil if that type can't hold one.
func convertedElements<Element>(_ collection: any ToMany) -> [Element]? {
  var elements: [Element] = []
  for element in collection.anyElements {
    guard let converted = element.map(convertedElement) ?? nilValue(of: Element.self) else {
      return nil
    }
    elements.append(converted)
  }
  return elements
}

/// A value converted to the element type of a typed collection; nil if that type can't hold it.
func convertedElement<Element>(_ value: Any) -> Element? {
  if let element = value as? Element { return element }
  if value is any NullObject, let element = nilValue(of: Element.self) { return element }
  // Nil of a type without a hash value, which a proxy by key reads.
  if Element.self == AnyHashable.self { return asHashable(value) as? Element }
  return ValueConversion.converted(value, to: Element.self)
}

/// An object that stands for nil in collections of objects, such as Foundation's `NSNull`.
package protocol NullObject {}

/// A value converted to the element type of a typed collection.
///
/// `collection` is the collection's name, if it's known.
func typedElement<Element>(
  _ value: Any, of collection: @autoclosure () -> String? = nil
) -> Element {
  guard let element: Element = convertedElement(value) else {
    let name = collection().map { "\($0), " } ?? ""
    let advice =
      flattened(value) == nil
      ? ", which can't hold nil. Leave it out, or declare the elements as \(Element.self)?."
      : "; convert it to \(Element.self) first."
    KeyValueViolation.fatal(
      .wrongElement,
      "\(plainDescription(value)) was given to \(name)a collection of \(Element.self)\(advice)")
  }
  return element
}

/// Traps unless a collection of this name, whose elements have this type, can hold these.
func checkElements(
  _ elements: [Any], as type: Any.Type, of collection: @autoclosure () -> String
) {
  func convert<Element>(to type: Element.Type) {
    for element in elements { _ = typedElement(element, of: collection()) as Element }
  }
  _openExistential(type, do: convert)
}

/// Why no path leads to the elements of a sequence that isn't a `ToMany`, in words; nil for a type that
/// isn't such a sequence.
func unreachableElements(of type: Any.Type) -> String? {
  guard type is any Sequence.Type, !(type is any ToMany.Type), !(type is any StringProtocol.Type),
    !(type is any StringKeyed.Type)
  else { return nil }
  return "no path reaches its elements; declare an Array, a Set or an OrderedSet"
}
