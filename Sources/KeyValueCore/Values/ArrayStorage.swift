/// How a stored array is read and changed in the type of its elements, whatever its class.
///
/// Made where the class is compiled, so that nothing here goes through run-time metadata; who knows the
/// elements only as `Any` goes over `Edit`.
@usableFromInline
package class ToManyStorage: @unchecked Sendable {
  // Checked by hand: closures over nothing but other closures of the class's own.
  let count: (AnyObject) -> Int
  /// A copy of the elements that have these indexes; indexes past the end are nobody's.
  let capture: (AnyObject, IndexRanges) -> any CapturedValue

  @usableFromInline
  init(
    count: @escaping (AnyObject) -> Int,
    capture: @escaping (AnyObject, IndexRanges) -> any CapturedValue
  ) {
    self.count = count
    self.capture = capture
  }
}

@usableFromInline
final class ArrayStorage<Element>: ToManyStorage, @unchecked Sendable {
  let element: (AnyObject, Int) -> Element
  let insert: (AnyObject, Element, Int) -> Void
  let replace: (AnyObject, Range<Int>, [Element]) -> Void

  @inlinable
  @inline(never)
  convenience init(_ access: ArrayAccess<Element>) {
    self.init(
      count: { access.get($0).count },
      capture: { object, indexes in
        let elements = access.get(object)
        let ranges = indexes.within(elements.count).ranges
        guard ranges.count == 1 else { return ValueBox(ranges.flatMap { elements[$0] }) }
        let range = ranges[0]
        return ValueBox(
          range.count == 1 ? [elements[range.lowerBound]] : Array(elements[range]))
      },
      element: { access.get($0)[$1] },
      insert: { object, element, index in
        access.modify(object) {
          if index == $0.count { $0.append(element) } else { $0.insert(element, at: index) }
        }
      },
      replace: { object, range, elements in
        access.modify(object) { $0.replaceSubrange(range, with: elements) }
      })
  }

  @usableFromInline
  init(
    count: @escaping (AnyObject) -> Int,
    capture: @escaping (AnyObject, IndexRanges) -> any CapturedValue,
    element: @escaping (AnyObject, Int) -> Element,
    insert: @escaping (AnyObject, Element, Int) -> Void,
    replace: @escaping (AnyObject, Range<Int>, [Element]) -> Void
  ) {
    self.element = element
    self.insert = insert
    self.replace = replace
    super.init(count: count, capture: capture)
  }
}

/// How a stored array is read and lent, whatever its class.
///
/// Not generic over the class, so that a client's module holds one `ArrayStorage` for each type of
/// element instead of one for each property.
@usableFromInline
final class ArrayAccess<Element> {
  @usableFromInline let get: (AnyObject) -> [Element]
  @usableFromInline let modify: (AnyObject, (inout [Element]) -> Void) -> Void

  // The downcasts: a property hands only objects of its schema's class to its storage, and `Root` is
  // that class or one that it inherits from.
  init<Root: AnyObject>(
    get: @escaping (Root) -> [Element],
    modify: @escaping (Root, (inout [Element]) -> Void) -> Void
  ) {
    self.get = { get(unsafeDowncast($0, to: Root.self)) }
    self.modify = { modify(unsafeDowncast($0, to: Root.self), $1) }
  }
}
