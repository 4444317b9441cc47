import FoundationKVO
import Testing

@Suite("FoundationKVO: predicates as objects, and their formats")
struct PredicateFormatTests {
  @Test(
    "a predicate prints the format that Cocoa does",
    arguments: [
      ("price>3 && title  contains[dc] 'a'", "price > 3 AND title CONTAINS[cd] \"a\""),
      ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
      ("(a == 1 or b == 2) and (c == 3)", "(a == 1 OR b == 2) AND c == 3"),
      ("NOT (a == 1 AND b == 2) AND !c == 3", "NOT (a == 1 AND b == 2) AND NOT c == 3"),
      ("none tags == 'x'", "NOT ANY tags == \"x\""),
      ("some tags == 'x' OR ALL tags <> 'y'", "ANY tags == \"x\" OR ALL tags != \"y\""),
      ("isLent = YES AND author = NULL", "isLent == 1 AND author == nil"),
      ("SELF.name =< -3", "name <= -3"),
      ("self == $x AND $x.name == #size", "SELF == $x AND $x.name == #size"),
      ("a IN {1, 'b'} and {} == c", "a IN {1, \"b\"} AND {} == c"),
      ("a + 1 * 2 == ((b - 1)) ** 2", "a + (1 * 2) == (b - 1) ** 2"),
      ("uppercase(a) == now()", "uppercase:(a) == now()"),
      (
        "tags[0] == tags[last] and a[b] == 'x\\'\"\\n'",
        "tags[0] == tags[LAST] AND a[b] == \"x'\\\"\\n\""
      ),
      (
        "SUBQUERY(c, $c, $c.p > 1 OR $c.p < 0).@count > 0",
        "SUBQUERY(c, $c, $c.p > 1 OR $c.p < 0).@count > 0"
      ),
      ("cast(5, 'NSDate') < date", "CAST(5, \"NSDate\") < date"),
      (
        "ternary(a == 1, 2, 3) < function(a, 'length')",
        "TERNARY(a == 1, 2, 3) < FUNCTION(a, \"length\")"
      ),
      ("a union b == c", "a UNION b == c"),
      ("truepredicate", "TRUEPREDICATE"), ("NOT FALSEPREDICATE", "NOT FALSEPREDICATE"),
    ])
  func printed(_ format: String, _ expected: String) {
    let predicate = NSPredicate(format: format)
    #expect(predicate.predicateFormat == expected)
    #expect(predicate.description == expected)
    let again = NSPredicate(format: expected)
    #expect(again == predicate)
    #expect(again.hash == predicate.hash)
    #expect(again.predicateFormat == expected)
  }

  @Test("arguments are printed as values")
  func arguments() {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    let predicate = NSPredicate(
      format: "%K == %@ AND b == %d AND c > %f AND d == %@ AND e IN %@ AND f == %@ AND g == %@",
      "a.x", "y", 3, 2.5, date, [1, 2], nil as String?, NSSet(array: ["q"]))
    let expected = """
      a.x == "y" AND b == 3 AND c > 2.5 AND d == CAST(1.500000, "NSDate") AND e IN {1, 2} AND f == nil \
      AND g == {"q"}
      """
    #expect(predicate.predicateFormat == expected)
    #expect(NSPredicate(format: expected) == predicate)
    #expect(
      NSPredicate(format: "a == %@", NSDecimalNumber(string: "1.25")).description == "a == 1.25")
    #expect(NSPredicate(format: "a == %@", UInt64.max).description == "a == 18446744073709551615")
  }

  @Test("predicates that aren't equal aren't")
  func different() {
    let formats = [
      "a == 1", "a == 2", "a != 1", "a ==[c] 1", "b == 1", "ANY a == 1", "ALL a == 1", "NOT a == 1",
      "a == 1 AND b == 2", "a == 1 OR b == 2", "b == 2 AND a == 1", "a == '1'", "a == {1}",
      "a == {2}", "a == nil", "a == $x", "a == $y", "a == SELF", "a == x", "a == x[0]",
      "a == x[FIRST]", "a == x[1]", "a == x + 1", "a == x - 1", "a == abs(x)", "a == $x.b",
      "a == CAST(x, 'NSDate')", "a == CAST(x, 'NSNumber')", "a == CAST(1, 'NSDate')",
      "a == FUNCTION(x, 'y')", "a == FUNCTION(x, 'z')", "a == x UNION y", "a == x MINUS y",
      "a == SUBQUERY(x, $x, $x == 1)", "a == SUBQUERY(x, $x, $x == 2)",
      "a == SUBQUERY(y, $x, $x == 1)", "a == TERNARY(x == 1, 2, 3)", "a == TERNARY(x == 1, 2, 4)",
      "TRUEPREDICATE", "FALSEPREDICATE",
    ]
    for (index, format) in formats.enumerated() {
      for (other, second) in formats.enumerated() {
        let isSame = NSPredicate(format: format) == NSPredicate(format: second)
        #expect(isSame == (index == other), "\(format) and \(second)")
      }
    }
    let block = NSPredicate { _, _ in true }
    #expect(block == block && block != NSPredicate { _, _ in true })
    #expect(NSPredicate(format: "a == 1") != block)
    #expect(!NSPredicate(format: "a == 1").isEqual("a == 1"))
    // A set's order is another one in each process.
    for order in [Array(1...9), (1...9).reversed()] {
      let format = "a == {\(order.map { "\($0)" }.joined(separator: ", "))}"
      #expect(NSPredicate(format: "a == %@", Set(1...9)) == NSPredicate(format: format))
    }
    #expect(NSPredicate(format: "a == 1.0") == NSPredicate(format: "a == YES"))
  }

  @Test("what's made of random parts is read as an equal predicate again")
  func random() {
    var random = RandomFormats(seed: 7)
    for _ in 0..<2_000 {
      let format = random.predicate(4)
      let predicate = NSPredicate(format: format)
      let again = NSPredicate(format: predicate.predicateFormat)
      #expect(again == predicate, "\(format)")
      #expect(again.hash == predicate.hash, "\(format)")
      #expect(again.predicateFormat == predicate.predicateFormat, "\(format)")
    }
  }

  @Test("a format gives Cocoa's objects, with their parts")
  func parts() throws {
    let compound = try #require(
      NSPredicate(format: "title CONTAINS[c] 'a' AND NOT price > 3") as? NSCompoundPredicate)
    #expect(compound.compoundPredicateType == .and)
    #expect(compound.subpredicates.count == 2)
    let comparison = try #require(compound.subpredicates[0] as? NSComparisonPredicate)
    #expect(comparison.leftExpression.expressionType == .keyPath)
    #expect(comparison.leftExpression.keyPath == "title")
    #expect(comparison.rightExpression.constantValue as? String == "a")
    #expect(comparison.predicateOperatorType == .contains)
    #expect(comparison.predicateOperatorType.rawValue == 99)
    #expect(comparison.comparisonPredicateModifier == .direct)
    #expect(comparison.options == [.caseInsensitive])
    let not = try #require(compound.subpredicates[1] as? NSCompoundPredicate)
    #expect(not.compoundPredicateType == .not)
    #expect(compound.copy() as? NSCompoundPredicate == compound)
    #expect(comparison.copy() as AnyObject === comparison)
    #expect(Set([compound, NSPredicate(format: compound.predicateFormat)]).count == 1)
    let whole = NSCompoundPredicate(format: "a == %d", 1)
    #expect(whole.compoundPredicateType == .and && whole.description == "a == 1")
    #expect(NSCompoundPredicate(format: "a == 1 OR b == 1").compoundPredicateType == .or)
  }

  @Test("comparisons and compounds are built of expressions")
  func built() {
    let search = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "title"),
      rightExpression: NSExpression(forConstantValue: "swift"),
      modifier: .direct, type: .contains, options: [.caseInsensitive, .diacriticInsensitive])
    #expect(search.description == "title CONTAINS[cd] \"swift\"")
    #expect(search == NSPredicate(format: "title CONTAINS[cd] 'swift'"))
    #expect(search.evaluate(with: ["title": "The Swïft"] as NSDictionary))
    let cheap = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "price"),
      rightExpression: NSExpression(forVariable: "limit"), modifier: .direct, type: .lessThan)
    let any = NSComparisonPredicate(
      leftExpression: .expressionForEvaluatedObject(),
      rightExpression: NSExpression(forAggregate: [NSExpression(forConstantValue: 1)]),
      modifier: .any, type: .in)
    let both = NSCompoundPredicate(
      orPredicateWithSubpredicates: [
        NSCompoundPredicate(andPredicateWithSubpredicates: [search, cheap]),
        NSCompoundPredicate(notPredicateWithSubpredicate: any), NSPredicate(value: false),
      ])
    #expect(
      both.description
        == "(title CONTAINS[cd] \"swift\" AND price < $limit) OR NOT ANY SELF IN {1} OR FALSEPREDICATE"
    )
    #expect(both == NSPredicate(format: both.predicateFormat))
    #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).description == "TRUEPREDICATE")
    #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).description == "FALSEPREDICATE")
    #expect(NSCompoundPredicate(orPredicateWithSubpredicates: [both]) == both)
    #expect(NSPredicate(value: true).description == "TRUEPREDICATE")
    #expect(NSPredicate(value: true).predicateFormat == "TRUEPREDICATE")
    let block = NSPredicate { _, _ in true }
    #expect(block.predicateFormat.hasPrefix("BLOCKPREDICATE(<"))
    #expect(
      NSCompoundPredicate(andPredicateWithSubpredicates: [block, search]).evaluate(
        with: ["title": "swift"] as NSDictionary))
  }

  @Test("variables are replaced by values, and a subquery's own is not")
  func variables() {
    let predicate = NSPredicate(
      format: "a > $x AND SUBQUERY(b, $x, $x > $y).@count > 0 AND c[$y] == $z")
    let replaced = predicate.withSubstitutionVariables(["x": 1, "y": 2])
    #expect(
      replaced.predicateFormat == "a > 1 AND SUBQUERY(b, $x, $x > 2).@count > 0 AND c[2] == $z")
    let block = NSPredicate { object, variables in object as? Int == variables?["x"] as? Int }
    let one = NSCompoundPredicate(andPredicateWithSubpredicates: [block])
      .withSubstitutionVariables(["x": 1])
    #expect(one.evaluate(with: 1) && !one.evaluate(with: 2))
    #expect(one.evaluate(with: 2, substitutionVariables: ["x": 2]))
  }

  @Test("a subclass is made of a format, too")
  func subclass() {
    final class Marked: NSPredicate {}
    let marked = Marked(format: "SELF > %d", 3)
    #expect(marked.evaluate(with: 4) && !marked.evaluate(with: 2))
    #expect(Marked(value: true).evaluate(with: nil))
  }

  @Test("expressions have values and parts")
  func expressions() {
    func value(_ format: String, _ arguments: Any?...) -> String {
      let expression = NSExpression(
        format: format, argumentArray: arguments.map { $0 ?? NSNull() })
      return expression.expressionValue(with: ["a": 4], context: ["v": 2]).map { "\($0)" } ?? "nil"
    }
    #expect(value("1 + 2 * 3") == "7")
    #expect(value("5 / 2") == "2.5")
    // A Double has no place for these digits.
    #expect(value("9007199254740992 + 1") == "9007199254740993")
    #expect(value("9007199254740995 - 2") == "9007199254740993")
    #expect(value("3002399751580331 * 3") == "9007199254740993")
    #expect(value("modulus:by:(9007199254740993, 2)") == "1")
    #expect(value("sum({9007199254740992, 1})") == "9007199254740993")
    for function in ["floor", "ceiling", "trunc", "abs"] {
      #expect(value("\(function)(9007199254740993)") == "9007199254740993")
    }
    #expect(value("sum({9223372036854775807, 1})").hasPrefix("9.22"))
    #expect(value("2 ** 3 ** 2") == "512")
    #expect(value("a - $v") == "2")
    #expect(value("9223372036854775807 + 1").hasPrefix("9.22"))
    #expect(value("average(%@)", [1, 2, 6]) == "3")
    #expect(value("median({4, 1, 3})") == "3")
    #expect(value("average({})") == "nil")
    let day = Date(timeIntervalSinceReferenceDate: 5)
    #expect(value("CAST('9', 'NSNumber')") == "9")
    #expect(value("CAST(%@, 'NSNumber')", day) == "5")
    #expect(value("FUNCTION(%@, 'timeIntervalSinceDate:', %@)", day + 3, day) == "3")
    #expect(value("abs(%@)", nil) == "nil")
    let sum = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forConstantValue: [1, 2.5])])
    #expect(sum.expressionValue(with: nil, context: nil) as? Double == 3.5)
    #expect(sum.function == "sum:" && sum.arguments?.count == 1)
    #expect(sum.description == "sum:({1, 2.5})")
    #expect(sum == NSExpression(format: "sum({1, 2.5})"))
    let plus = NSExpression(format: "a + 1")
    #expect(plus.expressionType == .function && plus.function == "add:to:")
    #expect(plus.arguments?.map(\.description) == ["a", "1"])
    let block = NSExpression(
      block: { object, arguments, _ in "\(object ?? "-") \(arguments)" },
      arguments: [NSExpression(forConstantValue: 3)])
    #expect(block.expressionValue(with: 1, context: nil) as? String == "1 [3]")
    let union = NSExpression(
      forUnionSet: NSExpression(forConstantValue: [1]), with: NSExpression(forKeyPath: "b"))
    #expect(union.expressionType == .unionSet && union.right.keyPath == "b")
    #expect(union.description == "{1} UNION b" && union.left.expressionType == .constantValue)
    let query = NSExpression(
      forSubquery: NSExpression(forKeyPath: "items"), usingIteratorVariable: "i",
      predicate: NSPredicate(format: "$i > 1"))
    #expect(query.description == "SUBQUERY(items, $i, $i > 1)")
    #expect(query.variable == "i" && query.predicate == NSPredicate(format: "$i > 1"))
    #expect((query.collection as? NSExpression)?.keyPath == "items")
    let condition = NSExpression(
      forConditional: NSPredicate(format: "a > 3"), trueExpression: plus, falseExpression: sum)
    #expect(condition.expressionValue(with: ["a": 4], context: nil) as? Int == 5)
    #expect(condition.true == plus && condition.false == sum)
    let key = NSExpression(
      forFunction: NSExpression(forConstantValue: "abc"), selectorName: "length", arguments: nil)
    #expect(key.expressionValue(with: nil, context: nil) as? Int == 3)
    #expect(key.operand.constantValue as? String == "abc" && key.arguments == [])
    #expect(NSExpression(format: "a[LAST]").function == "objectFrom:withIndex:")
  }

  @Test("a function is made again of its name and its arguments")
  func functionsMadeAgain() throws {
    for format in [
      "tags[0]", "tags[a + 1]", "tags[FIRST]", "tags[LAST]", "tags[SIZE]", "a[\"key\"]",
      "CAST(5, \"NSDate\")", "CAST(a, \"NSNumber\")", "CAST(a, \"NSDecimalNumber\")",
      "CAST(a, \"NSString\")", "sum:({1, 2.5})", "sum:(a, 1)", "a + 1", "now()",
    ] {
      let expression = NSExpression(format: format)
      let again = NSExpression(
        forFunction: expression.function, arguments: try #require(expression.arguments))
      #expect(again == expression)
      #expect(again.description == expression.description)
    }
  }

  @Test("equal expressions have equal hash values, however a constant is written")
  func hashes() {
    let pairs = [
      (NSExpression(forConstantValue: [1, 2]), NSExpression(format: "{1, 2}")),
      (
        NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: 5)),
        NSExpression(format: "CAST(5, 'NSDate')")
      ),
    ]
    for (value, written) in pairs {
      #expect(value == written && value.hash == written.hash)
    }
  }

  @KeyValueObservable
  class Shelf: NSObject {
    dynamic var width = 3
    dynamic var above: Shelf?
  }
  @KeyValueObservable
  final class Rack: Shelf {
    dynamic var isFull = true
    override var width: Int { didSet { isFull = false } }
  }

  @Test("an expression of a key path has its key")
  func checkedKeyPaths() async {
    let width = NSExpression(forKeyPath: \Shelf.width)
    #expect(width.keyPath == "width" && width == NSExpression(forKeyPath: "width"))
    #expect(width.expressionValue(with: Rack(), context: nil) as? Int == 3)
    #expect(NSExpression(forKeyPath: \Rack.isFull).keyPath == "isFull")
    #expect(NSExpression(forKeyPath: \Rack.width).keyPath == "width")
    #expect(NSExpression(forKeyPath: \Rack.above).keyPath == "above")
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let text = violation.description
        exit(
          text.hasPrefix("NSInvalidArgumentException: Shelf has no key that is named by ")
            && text.hasSuffix("Write a key path to one property, or the key as a string.") ? 0 : 1)
      }
      _ = NSExpression(forKeyPath: \Shelf.above?.width)
      exit(2)
    }
  }

  @Test("a part that an expression doesn't have, and an unknown function, raise")
  func missing() async {
    await #expect(processExitsWith: .failure) { _ = NSExpression(forKeyPath: "a").constantValue }
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(forFunction: "size:", arguments: [])
    }
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(forFunction: "abs:", arguments: [])
    }
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let text = "NSInvalidArgumentException: 'objectFrom:withIndex:' takes 2 arguments, not 1."
        // Without the leak check, to which the expression's arguments are lost here.
        _exit(violation.description == text ? 0 : 1)
      }
      _ = NSExpression(
        forFunction: "objectFrom:withIndex:", arguments: [NSExpression(forKeyPath: "a")])
      exit(2)
    }
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let start = "NSInvalidArgumentException: 'castObject:toType:' can't cast to \"NSURL\". "
        _exit(violation.description.hasPrefix(start) ? 0 : 1)
      }
      _ = NSExpression(
        forFunction: "castObject:toType:",
        arguments: [NSExpression(forKeyPath: "a"), NSExpression(forConstantValue: "NSURL")])
      exit(2)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(
        forFunction: NSExpression(forConstantValue: 1), selectorName: "compare:", arguments: nil)
    }
    await #expect(processExitsWith: .failure) { _ = NSExpression(format: "a +") }
  }
}

/// Formats of random predicates.
private struct RandomFormats {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func number(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  private mutating func one(_ choices: String...) -> String { choices[number(choices.count)] }

  mutating func predicate(_ depth: Int) -> String {
    switch number(depth > 0 ? 9 : 4) {
    case 0: return one("TRUEPREDICATE", "falsepredicate")
    case 1: return one("ANY ", "ALL ", "NONE ", "SOME ") + comparison(depth)
    case 2, 3: return comparison(depth)
    case 4: return "NOT (\(predicate(depth - 1)))"
    case 5: return "! \(predicate(depth - 1))"
    case 6: return "(\(predicate(depth - 1)))"
    case 7:
      let word = one("AND", "and", "&&")
      return
        "\(predicate(depth - 1)) \(word) \(predicate(depth - 1)) \(word) \(predicate(depth - 1))"
    default: return "\(predicate(depth - 1)) \(one("OR", "||")) \(predicate(depth - 1))"
    }
  }

  private mutating func comparison(_ depth: Int) -> String {
    let operation = one(
      "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "IN", "contains", "BEGINSWITH[c]",
      "ENDSWITH[d]", "LIKE[cd]", "MATCHES[l]", "==[n]", "BETWEEN")
    return "\(term(depth)) \(operation) \(term(depth))"
  }

  private mutating func term(_ depth: Int) -> String {
    switch number(depth > 0 ? 22 : 10) {
    case 0: return one("a", "a.b", "#size", "items.@count", "a.@sum.b", "SELF.x", "#AND.in", "é_1")
    case 1: return one("SELF", "self", "$x", "$x.y")
    case 2: return one("1", "-2", "0x1f", "0b101", "9223372036854775807", "YES", "false")
    case 3: return one("1.5", "-0.25", "1e300", "2.5e-7", "0.1", "3.0", "123456789.125")
    case 4, 5: return one("'a'", "\"b\"", "'it\\'s'", "'\\\\'", "\"\"", "'a\\nb\\tc'", "'é\"'")
    case 6: return one("nil", "NULL")
    case 7: return "CAST(\(one("0", "1.5", "-1e9", "0.1")), 'NSDate')"
    case 8: return one("now()", "random:()", "NOW()").replacing("random:()", with: "random()")
    case 9: return one("{}", "{1, 'b'}", "{a, 2.5}", "{{1}, nil}")
    case 10: return "(\(term(depth - 1)))"
    case 11, 12:
      let sign = one(
        "+", "-", "*", "/", "**", "&", "|", "^", "<<", ">>", "UNION", "MINUS", "intersect")
      return "\(term(depth - 1)) \(sign) \(term(depth - 1))"
    case 13: return "\(one("-", "~"))\(term(depth - 1))"
    case 14: return "\(one("abs", "uppercase:", "LENGTH", "sum"))(\(term(depth - 1)))"
    case 15:
      return "\(one("modulus:by:", "add:to:", "sum"))(\(term(depth - 1)), \(term(depth - 1)))"
    case 16: return "(\(term(depth - 1)))[\(one("FIRST", "last", "SIZE", "0", "'k'", "$i"))]"
    case 17: return "SUBQUERY(\(term(depth - 1)), $x, \(predicate(depth - 1)))"
    case 18: return "TERNARY(\(predicate(depth - 1)), \(term(depth - 1)), \(term(depth - 1)))"
    case 19: return "CAST(\(term(depth - 1)), \(one("'NSString'", "\"NSNumber\"")))"
    case 20: return "FUNCTION(\(term(depth - 1)), \(one("'length'", "'valueForKey:', a")))"
    default: return "(\(term(depth - 1))).\(one("a", "b.@max.c", "#x"))"
    }
  }
}
