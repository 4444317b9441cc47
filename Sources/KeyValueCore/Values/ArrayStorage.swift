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
      capture: { ArrayStorage.part(of: access.get($0), at: $1) },
      part: { ArrayStorage.part(of: $0.assumingMemoryBound(to: [Element].self).pointee, at: $1) },
      comparesWords: Element.self == Int.self || areComparedByIdentity(Element.self),
      lendBytes: { old, new, body in
        old.assumingMemoryBound(to: [Element].self).pointee.withUnsafeBytes { old in
          new.assumingMemoryBound(to: [Element].self).pointee.withUnsafeBytes { body(old, $0) }
        }
      },
      lend: { object, range, body in
        let elements = access.get(object)
        // The property's own observers may have removed some of them.
        let range = range.clamped(to: 0..<elements.count)
        let part = range.count == 1 ? [elements[range.lowerBound]] : Array(elements[range])
        withUnsafePointer(to: part) { body(UnsafeRawPointer($0)) }
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

  @inlinable
  static func part(of elements: [Element], at indexes: IndexRanges) -> any CapturedValue {
    let indexes = indexes.within(elements.count)
    guard let range = indexes.sole else {
      return ValueBox(indexes.ranges.flatMap { elements[$0] })
    }
    return ValueBox(range.count == 1 ? [elements[range.lowerBound]] : Array(elements[range]))
  }

  @usableFromInline
  init(
    count: @escaping (AnyObject) -> Int,
    capture: @escaping (AnyObject, IndexRanges) -> any CapturedValue,
    part: @escaping (UnsafeRawPointer, IndexRanges) -> any CapturedValue,
    comparesWords: Bool,
    lendBytes:
      @escaping (
        UnsafeRawPointer, UnsafeRawPointer,
        (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
      ) -> Void,
    lend: @escaping (AnyObject, Range<Int>, (UnsafeRawPointer) -> Void) -> Void,
    element: @escaping (AnyObject, Int) -> Element,
    insert: @escaping (AnyObject, Element, Int) -> Void,
    replace: @escaping (AnyObject, Range<Int>, [Element]) -> Void
  ) {
    self.element = element
    self.insert = insert
    self.replace = replace
    super.init(
      count: count, capture: capture, part: part, comparesWords: comparesWords,
      lendBytes: lendBytes, lend: lend)
  }
}
