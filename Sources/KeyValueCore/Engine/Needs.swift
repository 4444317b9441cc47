/// What a change set has to prepare before and after the mutation.
struct Needs: OptionSet {
  let rawValue: UInt16

  static let prior = Needs(rawValue: 1)
  /// The property's own old value.
  static let old = Needs(rawValue: 2)
  /// The property's own new value.
  static let new = Needs(rawValue: 4)
  /// The old value of an observance that the property is only a source of.
  static let evaluatedOld = Needs(rawValue: 8)
  static let evaluatedNew = Needs(rawValue: 16)
  /// Something may have to be reattached.
  static let structure = Needs(rawValue: 32)
  /// What enters and leaves a collection matters.
  static let membership = Needs(rawValue: 64)
  /// An assignment is delivered element by element; a change behind a collection, with the element.
  static let elements = Needs(rawValue: 128)
  // These two are the options of the same names, shifted by two.
  /// A journal has to know that the property's `willSet` and `didSet` may be called.
  static let propertyObservers = Needs(rawValue: 256)
  /// A journal or a recorder has to know that the change's observers are being called.
  static let scope = Needs(rawValue: 512)
  /// A maintained operator has to include the new value.
  static let contribution = Needs(rawValue: 1024)

  /// Each need by itself; `contribution` is the last one.
  static let bits = (0...contribution.rawValue.trailingZeroBitCount).map {
    Needs(rawValue: 1 << $0)
  }

  /// Needs for which an assignment does more than read the property before and after.
  static let beyondValues: Needs = [
    .prior, .evaluatedOld, .evaluatedNew, .structure, .membership, .elements, .contribution,
    .propertyObservers,
  ]

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ options: KeyValueObservingOptions) {
    self = []
    if options.contains(.prior) { insert(.prior) }
    if options.contains(.old) { insert(.old) }
    if options.contains(.new) { insert(.new) }
    let own = options.intersection([.scope, .propertyObservers])
    formUnion(Needs(rawValue: UInt16(truncatingIfNeeded: own.rawValue) << 2))
    // Both values are needed to find what changed.
    if options.contains(.elementChanges) { formUnion([.old, .new, .elements]) }
  }

  /// The same needs for an observed value that has to be evaluated.
  var evaluated: Needs {
    var result = intersection([.prior, .scope])
    if contains(.old) { result.insert(.evaluatedOld) }
    if contains(.new) { result.insert(.evaluatedNew) }
    return result
  }
}

extension Observance {
  /// Whether a sole audience needs the value before, or after, a mutation; for inlined code.
  @inlinable var wantsOld: Bool { options.contains(.old) }
  @inlinable var wantsNew: Bool { options.contains(.new) }
}
