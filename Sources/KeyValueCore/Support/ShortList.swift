/// A list that nearly always has one element, which needs no array.
enum ShortList<Element>: RandomAccessCollection, MutableCollection {
  case none
  case one(Element)
  case many([Element])

  init() { self = .none }

  var startIndex: Int { 0 }
  var endIndex: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let elements): elements.count
    }
  }

  subscript(index: Int) -> Element {
    get {
      switch self {
      case .none: preconditionFailure("There are no elements.")
      case .one(let element): element
      case .many(let elements): elements[index]
      }
    }
    set {
      if case .many(var elements) = self {
        self = .none  // so that the array is uniquely held when it changes
        elements[index] = newValue
        self = .many(elements)
      } else {
        self = .one(newValue)
      }
    }
  }

  // An iterator would retain each element.
  @inline(__always)
  func forEach(_ body: (Element) throws -> Void) rethrows {
    switch self {
    case .none: break
    case .one(let element): try body(element)
    case .many(let elements): try elements.forEach(body)
    }
  }

  @inline(__always)
  func contains(where isMeant: (Element) throws -> Bool) rethrows -> Bool {
    switch self {
    case .none: false
    case .one(let element): try isMeant(element)
    case .many(let elements): try elements.contains(where: isMeant)
    }
  }

  mutating func append(_ element: consuming Element) {
    if case .none = self { return self = .one(element) }
    switch self {
    case .none: break
    case .one(let first): self = .many([first, element])
    case .many(var elements):
      self = .none
      elements.append(element)
      self = .many(elements)
    }
  }

  /// Removes the last element that is meant; it's found at once if it's near the end.
  mutating func removeLast(where isMeant: (Element) -> Bool) {
    switch self {
    case .none: break
    case .one(let element): if isMeant(element) { self = .none }
    case .many(var elements):
      guard let index = elements.lastIndex(where: isMeant) else { return }
      self = .none  // as above
      elements.remove(at: index)
      self = .many(elements)
    }
  }
}
