/// The functions that predicates call by name, and the operators that stand for some of them.
enum PredicateFunction: String, CaseIterable {
  case sum = "sum:"
  case count = "count:"
  case min = "min:"
  case max = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case deviation = "stddev:"
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case squareRoot = "sqrt:"
  case log = "log:"
  case ln = "ln:"
  case power = "raise:toPower:"
  case exponential = "exp:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case absolute = "abs:"
  case truncation = "trunc:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case length = "length:"
  case noIndex = "noindex:"
  case random = "random"
  case randomBelow = "randomn:"
  case now = "now"

  /// By a name with its colons or without, in any case.
  init?(name: String) {
    let name = name.lowercased()
    let found = Self.allCases.first {
      let full = $0.rawValue.lowercased()
      return full == name || full.hasSuffix(":") && full.dropLast() == name
    }
    guard let found else { return nil }
    self = found
  }

  /// Why a name names no function.
  static func reason(against name: String) -> String {
    name.lowercased().hasPrefix("distancetolocation")
      ? "the function '\(name)', which only Core Location has,"
      : "'\(name)', which is no function of predicates,"
  }

  private var isOfCollection: Bool {
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .deviation: true
    default: false
    }
  }

  func takes(_ count: Int) -> Bool {
    isOfCollection ? count > 0 : count == rawValue.count { $0 == ":" }
  }

  /// How many arguments the function takes.
  var arity: String {
    isOfCollection ? "one or more" : "\(rawValue.count { $0 == ":" })"
  }

  // MARK: Calling

  /// The result for these arguments; nil if one of them is nil.
  func call(_ arguments: [Any?]) -> Any? {
    if isOfCollection { return PredicateStatistics.call(self, values(arguments)) }
    switch self {
    case .now: return Date()
    case .random: return NSNumber(value: Double.random(in: 0..<1))
    default: break
    }
    guard let first = arguments[0] else { return nil }
    if self == .noIndex { return first }
    if let text = text(first) { return text }
    guard arguments.count == 2 else { return Bridging.object(unary(number(first))) }
    guard let second = arguments[1] else { return nil }
    return moment(first, second) ?? Bridging.object(binary(number(first), number(second)))
  }

  /// A date that is so many seconds from another, or the seconds between two dates; nil for other arguments.
  private func moment(_ left: Any, _ right: Any) -> Any? {
    switch (self, left, right) {
    case (.subtract, let left as Date, let right as Date):
      return Bridging.object(left.timeIntervalSince(right))
    case (.add, let date as Date, let other) where !(other is Date),
      (.add, let other, let date as Date) where !(other is Date):
      return date.addingTimeInterval(number(other).doubleValue)
    case (.subtract, let date as Date, let other):
      return date.addingTimeInterval(-number(other).doubleValue)
    default: return nil
    }
  }

  /// What a function of strings returns; nil for other functions.
  private func text(_ value: Any) -> Any? {
    let function: (String) -> Any
    switch self {
    case .uppercase: function = { $0.uppercased() }
    case .lowercase: function = { $0.lowercased() }
    case .length: function = { NSNumber(value: ($0 as NSString).length) }
    default: return nil
    }
    guard let text = value as? String else { refuse(value, "a string") }
    return function(text)
  }

  private func unary(_ number: NSNumber) -> Any {
    switch self {
    case .onesComplement: return ~number.intValue
    case .randomBelow: return Int.random(in: 0..<Swift.max(1, number.intValue))
    case .absolute where PredicateNumber.isWhole(number): return number.intValue.magnitude
    case .floor where PredicateNumber.isWhole(number),
      .ceiling where PredicateNumber.isWhole(number),
      .truncation where PredicateNumber.isWhole(number):
      return number.intValue
    default: break
    }
    if let decimal = DecimalArithmetic.call(self, number) { return decimal }
    let value = number.doubleValue
    switch self {
    case .squareRoot: return value.squareRoot()
    case .log: return Foundation.log10(value)
    case .ln: return Foundation.log(value)
    case .exponential: return Foundation.exp(value)
    case .floor: return value.rounded(.down)
    case .ceiling: return value.rounded(.up)
    case .truncation: return value.rounded(.towardZero)
    default: return value.magnitude
    }
  }

  private func binary(_ left: NSNumber, _ right: NSNumber) -> Any {
    switch self {
    case .bitwiseAnd: return left.intValue & right.intValue
    case .bitwiseOr: return left.intValue | right.intValue
    case .bitwiseXor: return left.intValue ^ right.intValue
    case .leftShift: return left.intValue << right.intValue
    case .rightShift: return left.intValue >> right.intValue
    default: break
    }
    if PredicateNumber.isWhole(left), PredicateNumber.isWhole(right),
      let whole = whole(left.intValue, right.intValue)
    {
      return whole
    }
    if let decimal = DecimalArithmetic.call(self, left, right) { return decimal }
    let (first, second) = (left.doubleValue, right.doubleValue)
    switch self {
    case .add: return first + second
    case .subtract: return first - second
    case .multiply: return first * second
    case .divide: return first / second
    case .modulus: return first.truncatingRemainder(dividingBy: second)
    default: return pow(first, second)
    }
  }

  /// The exact result of whole numbers; nil if it has a fraction, or is too large.
  private func whole(_ left: Int, _ right: Int) -> Int? {
    let (result, isTooLarge) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .modulus: left.remainderReportingOverflow(dividingBy: right)
      default: (0, true)
      }
    return isTooLarge ? nil : result
  }

  /// The elements of the only argument, or the arguments themselves.
  private func values(_ arguments: [Any?]) -> [Any?]? {
    guard arguments.count == 1 else { return arguments }
    guard let argument = arguments[0] else { return nil }
    guard let elements = PredicateTerm.elements(of: argument) else { return arguments }
    return elements.map { $0 is NSNull ? nil : Bridging.flattened($0) }
  }

  func number(_ value: Any) -> NSNumber {
    guard let number = PredicateNumber.number(value) else { refuse(value, "a number") }
    return number
  }

  private func refuse(_ value: Any, _ wanted: String) -> Never {
    Exception.invalidArgument.raise("Can't do \(rawValue) with \(value), which is not \(wanted).")
  }
}

/// The functions of collections of numbers.
private enum PredicateStatistics {
  /// The exact sum of whole numbers; nil if not all are, or if it's too large.
  private static func whole(_ numbers: [NSNumber]) -> NSNumber? {
    var total = 0
    for number in numbers {
      guard PredicateNumber.isWhole(number) else { return nil }
      let (sum, isTooLarge) = total.addingReportingOverflow(number.intValue)
      if isTooLarge { return nil }
      total = sum
    }
    return NSNumber(value: total)
  }

  static func call(_ function: PredicateFunction, _ values: [Any?]?) -> Any? {
    guard let values else { return nil }
    if function == .count { return NSNumber(value: values.count) }
    let numbers = values.compactMap { $0.map { function.number($0) } }
    let exact = DecimalArithmetic.sum(numbers)
    let doubles = numbers.map(\.doubleValue)
    let total = doubles.reduce(0, +)
    switch function {
    case .sum:
      if let exact { return NSDecimalNumber(decimal: exact) }
      return whole(numbers) ?? Bridging.object(total)
    case .min: return numbers.min { Ordering.compare($0, $1) == .orderedAscending }
    case .max: return numbers.max { Ordering.compare($0, $1) == .orderedAscending }
    default: break
    }
    guard !doubles.isEmpty else { return nil }
    switch function {
    case .average:
      if let exact { return NSDecimalNumber(decimal: exact / Decimal(numbers.count)) }
      return Bridging.object(total / Double(doubles.count))
    case .median:
      let (sorted, middle) = (doubles.sorted(), doubles.count / 2)
      return Bridging.object(
        sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
    case .mode:
      let counts = Dictionary(doubles.map { ($0, 1) }, uniquingKeysWith: +)
      let most = counts.values.max()
      return NSArray(
        array: counts.filter { $0.value == most }.keys.sorted().compactMap { Bridging.object($0) })
    default:
      let mean = total / Double(doubles.count)
      let squares = doubles.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return Bridging.object((squares / Double(doubles.count)).squareRoot())
    }
  }
}

/// An operator between terms.
struct PredicateOperator {
  /// The level of `**`, which is right-associative.
  static let power = 7

  let level: Int
  /// As printed.
  let sign: String
  private let meaning: Meaning

  private enum Meaning {
    case function(PredicateFunction)
    case set(PredicateTerm.SetOperation)
  }

  private static let all: [PredicateOperator] = [
    PredicateOperator(level: 0, sign: "UNION", meaning: .set(.union)),
    PredicateOperator(level: 0, sign: "INTERSECT", meaning: .set(.intersection)),
    PredicateOperator(level: 0, sign: "MINUS", meaning: .set(.difference)),
    PredicateOperator(level: 1, sign: "|", meaning: .function(.bitwiseOr)),
    PredicateOperator(level: 2, sign: "^", meaning: .function(.bitwiseXor)),
    PredicateOperator(level: 3, sign: "&", meaning: .function(.bitwiseAnd)),
    PredicateOperator(level: 4, sign: "<<", meaning: .function(.leftShift)),
    PredicateOperator(level: 4, sign: ">>", meaning: .function(.rightShift)),
    PredicateOperator(level: 5, sign: "+", meaning: .function(.add)),
    PredicateOperator(level: 5, sign: "-", meaning: .function(.subtract)),
    PredicateOperator(level: 6, sign: "*", meaning: .function(.multiply)),
    PredicateOperator(level: 6, sign: "/", meaning: .function(.divide)),
    PredicateOperator(level: power, sign: "**", meaning: .function(.power)),
  ]

  private init(level: Int, sign: String, meaning: Meaning) {
    (self.level, self.sign, self.meaning) = (level, sign, meaning)
  }

  init?(_ sign: String) {
    guard let found = Self.all.first(where: { $0.sign == sign }) else { return nil }
    self = found
  }

  /// The sign of a function.
  static func sign(of function: PredicateFunction) -> String? {
    all.first { if case .function(function) = $0.meaning { true } else { false } }?.sign
  }

  func term(_ left: PredicateTerm, _ right: PredicateTerm) -> PredicateTerm {
    switch meaning {
    case .function(let function): .function(function, [left, right])
    case .set(let operation): .set(operation, left, right)
    }
  }
}

/// Words with a meaning of their own.
enum PredicateKeywords {
  static let inPredicates: Set<String> = [
    "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "NONE", "BETWEEN", "CONTAINS", "BEGINSWITH",
    "ENDSWITH", "LIKE", "MATCHES", "TRUEPREDICATE", "FALSEPREDICATE",
  ]
  static let calls: Set<String> = ["SUBQUERY", "CAST", "FUNCTION", "TERNARY"]
  /// What a key is written with `#` for, `#size`.
  static let reserved = inPredicates.union(calls).union([
    "SELF", "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "UNION",
    "INTERSECT", "MINUS", "UTI",
  ])
}

/// Numbers of predicates.
enum PredicateNumber {
  static func number(_ value: Any?) -> NSNumber? {
    value.flatMap { Bridging.object($0) as? NSNumber }
  }

  /// Whether a number has no fraction, and is an integer's.
  static func isWhole(_ number: NSNumber) -> Bool {
    !["f", "d"].contains(String(cString: number.objCType)) && Int(exactly: number) != nil
  }

  static func negated(_ number: NSNumber) -> NSNumber {
    isWhole(number) ? NSNumber(value: -number.intValue) : NSNumber(value: -number.doubleValue)
  }
}

/// What `CAST` makes of a value.
enum PredicateCast: String {
  case date = "NSDate"
  case number = "NSNumber"
  case decimal = "NSDecimalNumber"
  case string = "NSString"

  func cast(_ value: Any?) -> Any? {
    guard let value = Bridging.object(value) else { return nil }
    switch (self, value) {
    case (.date, is Date), (.number, is NSNumber), (.string, is String),
      (.decimal, is NSDecimalNumber):
      return value
    case (.date, let number as NSNumber):
      return Date(timeIntervalSinceReferenceDate: number.doubleValue)
    case (.number, let date as Date):
      return Bridging.object(date.timeIntervalSinceReferenceDate)
    case (.number, let text as String): return Bridging.object((text as NSString).doubleValue)
    case (.decimal, let number as NSNumber): return DecimalArithmetic.object(number)
    case (.decimal, let text as String): return NSDecimalNumber(string: text)
    case (.string, let number as NSNumber): return number.stringValue
    case (.string, _): return "\(value)"
    default:
      Exception.invalidArgument.raise("Don't know how to cast \(value) to \(rawValue).")
    }
  }
}

/// The selectors with arguments that `FUNCTION` can call.
enum PredicateInvocation: String {
  case value = "valueForKey:"
  case valueAtPath = "valueForKeyPath:"
  case dateByAdding = "dateByAddingTimeInterval:"
  case intervalSince = "timeIntervalSinceDate:"
  case appending = "stringByAppendingString:"

  func call(_ operand: Any, _ argument: Any?) -> Any? {
    switch (self, operand, argument) {
    case (.value, _, let key as String): return Bridging.value(of: operand, forKey: key)
    case (.valueAtPath, _, let path as String): return Bridging.value(of: operand, forKeyPath: path)
    case (.dateByAdding, let date as Date, let interval as NSNumber):
      return date.addingTimeInterval(interval.doubleValue)
    case (.intervalSince, let date as Date, let other as Date):
      return Bridging.object(date.timeIntervalSince(other))
    case (.appending, let text as String, let other as String): return text + other
    default:
      Exception.invalidArgument.raise(
        "Can't call \(rawValue) of \(operand) with \(argument ?? "nil").")
    }
  }
}
