extension KeyValueLogValue {
  /// The elements of a set in the order in which snapshots and edits have them.
  ///
  /// - Complexity: O(*n* log *n*), or O(*n*) if they're in that order.
  package static func ascending(_ elements: [KeyValueLogValue]) -> [KeyValueLogValue] {
    isAscending(elements) ? elements : elements.sorted(by: precedes)
  }

  /// The entries of a dictionary with keys that aren't strings: pairs with ascending keys.
  package static func pairs(
    _ entries: [(key: KeyValueLogValue, value: KeyValueLogValue)]
  ) -> KeyValueLogValue {
    .array(entries.sorted { precedes($0.key, $1.key) }.map { .array([$0.key, $0.value]) })
  }

  /// Whether each element precedes the one behind it, so that none occurs twice.
  static func isAscending(_ elements: [KeyValueLogValue]) -> Bool {
    zip(elements, elements.dropFirst()).allSatisfy(precedes)
  }

  /// Whether one value precedes another in an order of all values, which equal values share.
  ///
  /// It only gives a set one form: nil, Booleans, numbers, strings, references, arrays, dictionaries.
  static func precedes(_ left: KeyValueLogValue, _ right: KeyValueLogValue) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.integer(let left), .integer(let right)): left < right
    case (.number(let left), .number(let right)): left < right || left.isNaN && !right.isNaN
    case (.integer(let left), .number(let right)): exceeds(right, left)
    case (.number(let left), .integer(let right)):
      left.isNaN || !exceeds(left, right) && Int(exactly: left) != right
    case (.string(let left), .string(let right)): left < right
    case (.reference(let left), .reference(let right)): left.number < right.number
    case (.array(let left), .array(let right)): left.lexicographicallyPrecedes(right, by: precedes)
    case (.dictionary(let left), .dictionary(let right)):
      fields(left).lexicographicallyPrecedes(fields(right), by: precedes)
    default: left.rank < right.rank
    }
  }

  /// Whether a number is greater than an integer; a conversion to `Double` could round the integer.
  private static func exceeds(_ number: Double, _ integer: Int) -> Bool {
    // -2^63 and 2^63, which bound what `Int` holds, are exact.
    if number.isNaN || number < -0x1p63 { return false }
    if number >= 0x1p63 { return true }
    let whole = number.rounded(.down)
    return Int(whole) > integer || Int(whole) == integer && number > whole
  }

  private static func fields(_ values: [String: KeyValueLogValue]) -> [KeyValueLogValue] {
    values.sorted { $0.key < $1.key }.flatMap { [.string($0.key), $0.value] }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer, .number: 2
    case .string: 3
    case .reference: 4
    case .array: 5
    case .dictionary: 6
    }
  }
}
