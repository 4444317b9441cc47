/// Predicates joined by AND, OR or NOT, with Cocoa's description and equality.
///
/// ```swift
/// let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
///   NSPredicate(format: "price > 5"), NSPredicate(format: "isLent == NO"),
/// ])
/// print(both)             // price > 5 AND isLent == 0
/// ```
///
/// Source of the behaviour: Cocoa.
open class NSCompoundPredicate: Foundation.NSCompoundPredicate {
  /// Joins predicates.
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    super.init(type: type, subpredicates: subpredicates)
  }

  /// Creates a predicate by its format; a single comparison becomes the only subpredicate.
  public convenience init(format predicateFormat: String, _ args: Any?...) {
    let predicate = NSPredicate(
      format: predicateFormat, argumentArray: args.map { $0 ?? NSNull() })
    if let compound = predicate as? NSCompoundPredicate {
      self.init(type: compound.compoundPredicateType, subpredicates: compound.subpredicates)
    } else {
      self.init(type: .and, subpredicates: [predicate])
    }
  }

  open override var description: String { PredicateNode(self).format }
  open override var hash: Int { PredicateNode(self).hashValue }
  open override func isEqual(_ object: Any?) -> Bool { PredicateNode.areEqual(self, object) }
  open override func copy(with zone: NSZone? = nil) -> Any {
    NSCompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
  }
}

/// `TRUEPREDICATE` or `FALSEPREDICATE`.
final class ConstantPredicate: NSPredicate {
  let value: Bool

  init(_ value: Bool) {
    self.value = value
    super.init { _, _ in value }
  }

  override var description: String { PredicateNode.constant(value).format }
  override var hash: Int { value.hashValue }
  override func isEqual(_ object: Any?) -> Bool { PredicateNode.areEqual(self, object) }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
