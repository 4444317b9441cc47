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

  mutating func append(_ element: Element) {
    switch self {
    case .none: self = .one(element)
    case .one(let first): self = .many([first, element])
    case .many(var elements):
      self = .none
      elements.append(element)
      self = .many(elements)
    }
  }

  mutating func removeAll(where isMeant: (Element) -> Bool) {
    switch self {
    case .none: break
    case .one(let element): if isMeant(element) { self = .none }
    case .many(let elements): self = .many(elements.filter { !isMeant($0) })
    }
  }
}
