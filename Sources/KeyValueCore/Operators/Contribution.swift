/// What one element contributes to an aggregate.
enum Contribution {
  /// Nil, which counts as 0 or not at all.
  case nothing
  case number(Number)
  /// A value that is kept as it is: to be ordered, or as part of a union.
  case value(Any, Kind)
  /// A value that the operator cannot use.
  case invalid
  /// A number of a client's type, with unknown arithmetic, or what isn't kept: the operator is computed from the
  /// elements instead.
  case foreign

  /// Values of one kind can be compared with one another.
  enum Kind: Hashable, Comparable {
    case number
    /// A standard library or Foundation type: comparing and freeing its values runs no client code.
    case library(ObjectIdentifier)
    case foreign(ObjectIdentifier)

    var isForeign: Bool {
      if case .foreign = self { true } else { false }
    }

    fileprivate init(_ type: Any.Type) {
      self =
        isLibraryType(type) ? .library(ObjectIdentifier(type)) : .foreign(ObjectIdentifier(type))
    }
  }

  init(number value: Any) {
    guard let number = Number(value) else {
      self = .invalid
      return
    }
    if case .other = number, !isLibraryType(type(of: value)) {
      self = .foreign
    } else {
      self = .number(number)
    }
  }

  init(ordered value: Any) {
    if !CollectionOperator.isOrdered(value) {
      self = .nothing
    } else if !(value is any Comparable) {
      self = .foreign
    } else {
      let isNumber = value is Int || isLibraryType(type(of: value)) && Number(value) != nil
      self.init(kept: value, isNumber ? .number : nil)
    }
  }

  /// A value that is kept unless that would show: an object would live longer, and a collection would be copied by
  /// its next change in place.
  init(kept value: Any, _ kind: Kind? = nil) {
    let type = Swift.type(of: value)
    let kind = kind ?? Kind(type)
    let isKept = !kind.isForeign || isPlainValue(type) && !(type is any ToMany.Type)
    self = isKept ? .value(value, kind) : .foreign
  }
}

private func isLibraryType(_ type: Any.Type) -> Bool {
  if type == Int.self || type == Double.self || type == String.self { return true }
  // Values of a generic type, and type-erased ones, may hold values of a client's type.
  if type == AnyHashable.self { return false }
  let name = String(reflecting: type)
  return !name.contains("<")
    && ["Swift.", "Foundation.", "FoundationEssentials."].contains { name.hasPrefix($0) }
    && !(type is AnyObject.Type)
}
