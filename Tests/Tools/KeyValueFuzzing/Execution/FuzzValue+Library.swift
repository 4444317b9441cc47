import KeyValueObserving

/// A value that may be an optional of any type.
private protocol OptionalValue {
  var content: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var content: Any? { map { $0 as Any } }
}

extension FuzzValue {
  /// Converts a value that the library returned.
  init(_ value: Any?) {
    switch value {
    case nil: self = .none
    case let optional as any OptionalValue where optional.content == nil: self = .none
    case let hashable as AnyHashable where !(hashable.base is AnyHashable):
      self.init(base: hashable.base)
    case let value?: self.init(base: value)
    }
  }

  private init(base value: Any) {
    switch value {
    case let node as FuzzNode: self = .object(node.serial)
    case let badge as FuzzBadge: self = .object(badge.serial)
    case let coin as FuzzCoin: self = .object(coin.serial)
    case let tag as FuzzTag: self = .tag(tag.number, tag.data)
    case let slip as FuzzSlip: self = .tag(slip.number, slip.data)
    case let number as Int: self = .int(number)
    case let number as Double: self = .double(number)
    case let text as String: self = .text(text)
    case let map as [String: FuzzNode]: self = .map(map.mapValues { .object($0.serial) })
    case let map as [Int: FuzzNode]:
      self = .map(
        Dictionary(uniqueKeysWithValues: map.map { ("\($0.key)", .object($0.value.serial)) }))
    case let set as Set<AnyHashable>: self = .bag(Set(set.map { FuzzValue($0.base) }))
    case let list as [Any?]: self = .list(list.map { FuzzValue($0) })
    case let optional as any OptionalValue: self = FuzzValue(optional.content)
    default: self = .other("\(type(of: value)) \(value)")
    }
  }
}

extension KeyValueObservedChange {
  /// Converts a change to an occurrence of the history.
  func told(_ who: String, _ object: any KeyValueObservable) -> Occurrence {
    .change(
      .init(
        who: who, object: (object as? FuzzNode)?.serial ?? -1, kind: kind,
        old: oldValue.map { FuzzValue($0) }, new: newValue.map { FuzzValue($0) },
        indexes: indexes.map { $0.ranges.flatMap { Array($0) } }, isPrior: isPrior))
  }
}

extension Error {
  /// The case's name, by which the reference knows an error.
  var caseName: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
