import FoundationKVO
import Testing

@KeyValueObservable
private final class Book: NSObject {
  dynamic var title: String
  dynamic var price: Double
  dynamic var author: Author?
  dynamic var tags: [String]
  dynamic var isLent = false
  dynamic var chapters: [Chapter] = []
  dynamic var date = Date(timeIntervalSince1970: 0)

  init(_ title: String, _ price: Double, _ author: String?, _ tags: [String] = []) {
    (self.title, self.price, self.tags) = (title, price, tags)
    self.author = author.map(Author.init)
    super.init()
  }
}

@KeyValueObservable
private final class Author: NSObject {
  dynamic var name: String
  init(_ name: String) {
    self.name = name
    super.init()
  }
}

@KeyValueObservable
private final class Chapter: NSObject {
  dynamic var pages: Int
  init(_ pages: Int) {
    self.pages = pages
    super.init()
  }
}

@Suite("FoundationKVO: predicates and sort descriptors by key")
struct PredicateTests {
  private let books: [Book]

  init() {
    books = [
      Book("Émile", 12, "Rousseau", ["classic", "education"]),
      Book("Swift in Depth", 30.5, "Veen", ["programming"]),
      Book("the swift", 3, nil),
      Book("Walden", 9, "Thoreau", ["classic"]),
    ]
    books[0].chapters = [Chapter(10), Chapter(200)]
    books[3].isLent = true
  }

  /// The titles' first letters of the books that a predicate selects.
  private func chosen(_ format: String, _ arguments: Any?...) -> String {
    chosen(NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() }))
  }

  private func chosen(_ predicate: NSPredicate) -> String {
    NSArray(array: books).filtered(using: predicate)
      .map { String(($0 as! Book).title.prefix(1)) }.joined()
  }

  @Test("comparisons, with keys, key paths, literals and arguments")
  func comparisons() {
    #expect(chosen("price > 9") == "ÉS")
    #expect(chosen("price >= 9 && price <= 12") == "ÉW")
    #expect(chosen("price => 9 AND price =< 12") == "ÉW")
    #expect(chosen("price < %d", 9) == "t")
    #expect(chosen("%K == %@", "author.name", "Veen") == "S")
    #expect(chosen("author.name = 'Veen' or title == \"Walden\"") == "SW")
    #expect(chosen("author == nil") == "t")
    #expect(chosen("author.name != NULL") == "ÉSW")
    #expect(chosen("author.name <> %@", "Veen") == "ÉtW")
    #expect(chosen("author.name < 'Sz'") == "É")
    #expect(chosen("isLent == YES") == "W")
    #expect(chosen("isLent = FALSE") == "ÉSt")
    #expect(chosen("price BETWEEN {9, 12}") == "ÉW")
    #expect(chosen("price BETWEEN %@", [4, 10]) == "W")
    #expect(chosen("price BETWEEN {12, 9}") == "ÉW")
    #expect(chosen("date == %@", Date(timeIntervalSince1970: 0)) == "ÉStW")
    #expect(chosen("date > %@", Date(timeIntervalSince1970: 0)) == "")
    #expect(chosen("SELF == %@", books[1]) == "S")
    #expect(chosen("price == 3.05e1") == "S")
    #expect(chosen("price == 0x0C") == "É")
    #expect(chosen("price == %f AND price == %lf", 9.0, 9) == "W")
  }

  @Test("a value is equal to the object that Foundation has for it")
  func objectsOfValues() throws {
    let date = Date(timeIntervalSince1970: 0)
    #expect(chosen("date == %@", date as NSDate) == "ÉStW")
    #expect(chosen("date != %@", date as NSDate) == "")
    #expect(NSPredicate(format: "SELF CONTAINS %@", date as NSDate).evaluate(with: [date]))
    let url = try #require(URL(string: "https://example.com/a"))
    let equality = NSPredicate(format: "SELF == %@", url as NSURL)
    #expect(equality.evaluate(with: url) && !equality.evaluate(with: url.appending(path: "b")))
    let interval = DateInterval(start: date, duration: 5)
    #expect(
      NSPredicate(format: "SELF == %@", NSDateInterval(start: date, duration: 5))
        .evaluate(with: interval))
    let predicate = NSPredicate(format: "date == %@", date as NSDate)
    #expect(NSPredicate(format: predicate.predicateFormat) == predicate)
  }

  @Test("a key in brackets or of valueForKey: is one key, also with a dot")
  func keysWithDots() {
    let row: [String: Any] = ["editor.font": 12, "editor": ["font": 3], "a.b": 1]
    for (format, isTrue) in [
      ("SELF['editor.font'] == 12", true), ("editor.font == 12", false),
      ("editor.font == 3", true), ("FUNCTION(SELF, 'valueForKey:', 'editor.font') == 12", true),
      ("FUNCTION(SELF, 'valueForKeyPath:', 'editor.font') == 3", true),
      ("FUNCTION(SELF, 'a.b') == 1", true), ("SELF['editor']['font'] == 3", true),
    ] {
      #expect(NSPredicate(format: format).evaluate(with: row) == isTrue, "\(format)")
    }
  }

  @Test("precedence: NOT before AND before OR, with parentheses around predicates and terms")
  func precedence() {
    #expect(chosen("price > 20 OR price < 10 AND NOT isLent == YES") == "St")
    #expect(chosen("(price > 20 OR price < 10) AND isLent == NO") == "St")
    #expect(chosen("NOT (price > 20 OR price < 10)") == "É")
    #expect(chosen("!price > 20 && !(isLent == YES)") == "Ét")
    #expect(chosen("(price + 1) * 2 > 25") == "ÉS")
    #expect(chosen("((price)) - 2 ** 2 ** 1 == 5") == "W")
    #expect(chosen("-price < -30") == "S")
    #expect(chosen("price / 3 == 1") == "t")
    #expect(chosen("TRUEPREDICATE AND NOT FALSEPREDICATE") == "ÉStW")
  }

  @Test("strings, with case and diacritics")
  func strings() {
    #expect(chosen("title BEGINSWITH 'S'") == "S")
    #expect(chosen("title BEGINSWITH[cd] 'e'") == "É")
    #expect(chosen("title CONTAINS 'swift'") == "t")
    #expect(chosen("title contains[c] 'SWIFT'") == "St")
    #expect(chosen("title ENDSWITH %@", "den") == "W")
    #expect(chosen("title ==[c] 'WALDEN'") == "W")
    #expect(chosen("title LIKE '*wift*'") == "St")
    #expect(chosen("title LIKE[c] 'w?ld??'") == "W")
    #expect(chosen("title LIKE '*.*'") == "")
    #expect(chosen("title MATCHES 'W.*n'") == "W")
    #expect(chosen("title MATCHES[c] '[st].*'") == "St")
    #expect(chosen("title MATCHES 'ald'") == "")
    #expect(chosen("author.name BEGINSWITH 'V'") == "S")
    #expect(chosen("'the swift' CONTAINS title") == "t")
    #expect(chosen("title IN 'about Walden'") == "W")
    #expect(chosen("title == 'the \\u'") == "")
    for comparison in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "BEGINSWITH[c]"] {
      #expect(chosen("title \(comparison) ''") == "")
    }
  }

  @Test("collections: IN, CONTAINS, ANY, ALL, NONE, operators, indexes and SUBQUERY")
  func collections() {
    #expect(chosen("title IN %@", ["Walden", "Émile"]) == "ÉW")
    #expect(chosen("title IN {'Walden', %@}", "the swift") == "tW")
    #expect(chosen("title IN[c] {'WALDEN'}") == "W")
    #expect(chosen("NOT (title IN %@)", Set(["Walden"])) == "ÉSt")
    #expect(chosen("tags CONTAINS 'classic'") == "ÉW")
    #expect(chosen("ANY tags == 'education'") == "É")
    #expect(chosen("SOME tags BEGINSWITH 'prog'") == "S")
    #expect(chosen("ALL tags == 'classic'") == "tW")
    #expect(chosen("NONE tags == 'classic'") == "St")
    #expect(chosen("ANY chapters.pages > 100") == "É")
    #expect(chosen("tags.@count == 2") == "É")
    #expect(chosen("chapters.@sum.pages > 200") == "É")
    #expect(chosen("chapters.@max.pages > 100 AND chapters.@avg.pages == 105") == "É")
    #expect(chosen("tags[0] == 'classic' AND tags[LAST] == 'education'") == "É")
    #expect(chosen("tags[FIRST] == 'programming' OR tags[SIZE] == 2") == "ÉS")
    #expect(chosen("SUBQUERY(chapters, $c, $c.pages > 100 AND $c.pages < 300).@count == 1") == "É")
    #expect(chosen("title.length == 9") == "t")
  }

  @Test("only nil is at most or at least nil, and nothing is between nil and a value")
  func comparisonsWithNil() {
    #expect(chosen("author <= nil") == "t" && chosen("author >= nil") == "t")
    #expect(chosen("author.name <= author.name") == "ÉStW")
    #expect(chosen("nil >= author.name") == "t" && chosen("nil <= author.name") == "t")
    #expect(chosen("author < nil OR author > nil") == "")
    #expect(chosen("price BETWEEN {nil, 9}") == "" && chosen("price BETWEEN {9, nil}") == "")
    #expect(chosen("author.name BETWEEN {'a', 'b'}") == "")
    let predicate = NSPredicate(format: "price BETWEEN $range")
    #expect(!predicate.evaluate(with: books[0], substitutionVariables: ["range": NSNull()]))
    #expect(predicate.evaluate(with: books[0], substitutionVariables: ["range": [20, 10]]))
  }

  @Test("variables, and predicates over strings, numbers and dictionaries")
  func others() {
    let predicate = NSPredicate(format: "price > $limit AND title BEGINSWITH $start")
    #expect(chosen(predicate.withSubstitutionVariables(["limit": 5, "start": "W"])) == "W")
    #expect(predicate.evaluate(with: books[1], substitutionVariables: ["limit": 1, "start": "S"]))
    let numbers = [1, 5, 9] as NSArray
    #expect(numbers.filtered(using: NSPredicate(format: "SELF > %d", 3)) as? [Int] == [5, 9])
    #expect(
      (["ab", "cd"] as NSArray).filtered(using: NSPredicate(format: "self LIKE 'a*'")) as? [String]
        == ["ab"])
    let rows = [["k": 1, "size": 3], ["k": 2]] as NSArray
    #expect(rows.filtered(using: NSPredicate(format: "k == 1 AND #size == 3")).count == 1)
    #expect(NSPredicate(format: "%K.length > 2", "title").evaluate(with: books[0]))
    let both = NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate(format: "price > 5"), NSPredicate(format: "isLent == NO"),
      ])
    #expect(chosen(both) == "ÉS")
  }

  @Test(
    "a format that can't be read raises, with the column",
    arguments: [
      ("price >", "a key, a value or an argument is missing at column 8"),
      ("price 3", "'3' instead of a comparison, such as == at column 7"),
      ("price > 3 title", "'title' instead of AND, OR or the end at column 11"),
      ("(price > 3) + 1", "'+' instead of AND, OR or the end at column 13"),
      ("((price + ) > 3)", "')' instead of a key, a value or an argument at column 11"),
      ("(price > 3", "')' is missing at column 11"),
      ("title ==[x] 'a'", "the option 'x', which is not c, d, l or n, at column 10"),
      ("title == 'a", "a string without its end at column 10"),
      ("price > %d", "'%d' without an argument at column 9"),
      ("price > %y", "'%' without '@', 'K' or a number's format at column 9"),
      ("price ? 3", "'?', which means nothing at column 7"),
      ("price ~ 3", "'~' instead of a comparison, such as == at column 7"),
      ("title IN {'a'", "'}' is missing at column 14"),
      ("price > AND", "'AND' instead of a key, a value or an argument at column 9"),
      ("$ > 3", "'$' without a name at column 2"),
      ("size(title) > 3", "'size', which is no function of predicates, at column 1"),
      (
        "price > 1 AND uppercase(title, 3) == 'A'",
        "2 arguments of 'uppercase', which takes 1, at column 15"
      ),
      ("sum() > 3", "0 arguments of 'sum', which takes one or more, at column 1"),
      ("price > modulus:by:", "the function 'modulus:by:' without arguments at column 9"),
      (
        "distanceToLocation:fromLocation:(a, b) < 3",
        "the function 'distanceToLocation:fromLocation:', which only Core Location has, at column 1"
      ),
      ("CAST(price, 'NSURL') == 3", "a cast to 'NSURL', which is not there, at column 13"),
      (
        "CAST(price, title) == 3",
        "'title' instead of a class's name, such as \"NSDate\" at column 13"
      ),
      ("CAST == 3", "'==' instead of '(' at column 6"),
      (
        "FUNCTION(title, 'hasPrefix:', 'a') == 1",
        "the selector 'hasPrefix:', which can't be called here, at column 17"
      ),
      ("FUNCTION(title, 'length', 3) == 1", "1 arguments of 'length', which takes 0, at column 17"),
      (
        "FUNCTION(title, author) == 1",
        "'author' instead of a selector, such as \"length\" at column 17"
      ),
      ("$x := 3", "the assignment ':=', which is not there, at column 4"),
      (
        "title UTI-CONFORMS-TO 'public.text'",
        "a comparison of uniform types, which is not there, at column 7"
      ),
      ("ANYKEY == 3", "'ANYKEY', which only Core Data has, at column 1"),
      ("(price)", "a comparison, such as == is missing at column 8"),
      ("()", "')' instead of a key, a value or an argument at column 2"),
      ("(price > 3))", "')' instead of AND, OR or the end at column 12"),
      ("NOT (price) AND 3", "'AND' instead of a comparison, such as == at column 13"),
      ("SUBQUERY(chapters, $c, $c.pages)", "')' instead of a comparison, such as == at column 32"),
      ("TERNARY(price, 1, 2) == 1", "',' instead of a comparison, such as == at column 14"),
      ("author. == 3", "'==' instead of a key at column 9"),
      ("", "a key, a value or an argument is missing at column 1"),
    ])
  func errors(_ format: String, _ reason: String) async {
    let text =
      "NSInvalidArgumentException: Unable to parse the format string \"\(format)\": \(reason)"
    await #expect(processExitsWith: .success) {
      [format = format as String, text = text as String] in
      KeyValueViolation.handler = { violation in
        exit(violation.kind == .exception && violation.description == text ? 0 : 1)
      }
      _ = NSPredicate(format: format)
      exit(2)
    }
  }

  @Test("parentheses inside each other are read at once, up to a number that would exhaust a stack")
  func nesting() async {
    @Sendable func nested(_ count: Int, _ inner: String, _ open: String = "(") -> String {
      String(repeating: open, count: count) + inner + String(repeating: ")", count: count)
    }
    #expect(chosen(nested(200, "price > 9")) == "ÉS")
    #expect(chosen(nested(200, "price") + " > 9") == "ÉS")
    #expect(chosen(nested(200, nested(200, "price") + " > 9")) == "ÉS")
    #expect(chosen(nested(200, "price > 9", "NOT (")) == "ÉS")
    #expect(chosen(nested(200, "-3.5", "abs(") + " == 3.5") == "ÉStW")
    let inner = nested(200, "$c.pages") + " > 100"
    #expect(chosen("SUBQUERY(((chapters)), $c, \(nested(200, inner))).@count == 1") == "É")
    #expect(chosen(Array(repeating: "price > 9", count: 5_000).joined(separator: " AND ")) == "ÉS")
    #expect(chosen("price > 9" + String(repeating: " + 0", count: 500)) == "ÉS")
    // An eighth of what a thread has on Linux.
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let predicate = NSPredicate(format: "NOT " + nested(249, "SELF > 9", "NOT ("))
      if predicate.evaluate(with: 10), predicate == NSPredicate(format: predicate.predicateFormat) {
        isDone.signal()
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
    isDone.wait()
    let print = NSPredicate(format: nested(200, "price > 9", "NOT (")).predicateFormat
    #expect(print == String(repeating: "NOT ", count: 200) + "price > 9")
    for format in [
      nested(501, "price > 9"), nested(501, "price") + " > 9",
      "price > 9" + String(repeating: " + 0", count: 501),
      String(repeating: "NOT ", count: 501) + "price > 9",
      "price > " + String(repeating: "-", count: 502) + "3",
      "tags" + String(repeating: "[0]", count: 501) + " == 3",
    ] {
      await #expect(processExitsWith: .success) { [format = format as String] in
        KeyValueViolation.handler = { violation in
          exit(violation.description.contains(": more than 500 ") ? 0 : 1)
        }
        _ = NSPredicate(format: format)
        exit(2)
      }
    }
  }

  @Test("functions, casts, sets, bits and conditions")
  func functions() {
    #expect(chosen("uppercase(title) == 'WALDEN'") == "W")
    #expect(chosen("lowercase:(title) BEGINSWITH 'w'") == "W")
    #expect(chosen("length(title) > 6 AND title.length < 10") == "t")
    #expect(chosen("abs(price - 12) < 4") == "ÉW")
    #expect(chosen("floor(price) == 30 AND ceiling(price) == 31 AND trunc(-price) == -30") == "S")
    #expect(chosen("sqrt(price) == 3") == "W")
    #expect(chosen("ln(exp(1)) == 1 AND log(price * 100 / 9) == 2") == "W")
    #expect(chosen("modulus:by:(price, 2) == 1") == "tW")
    #expect(chosen("add:to:(price, 1) == 10 AND multiply:by:(price, 2) == 18") == "W")
    #expect(chosen("sum({price, 1}) == 10") == "W")
    #expect(chosen("sum(price, 1) == 10 AND count(tags) == 1") == "W")
    #expect(chosen("max(chapters.pages) == 200 AND min(chapters.pages) == 10") == "É")
    #expect(chosen("average({1, 2, 6}) == 3 AND median({5, 1, 2, 9}) == price / 2 + 2") == "t")
    #expect(chosen("stddev({2, 4}) == 1 AND mode({1, 2, 2}) == {2}") == "ÉStW")
    #expect(chosen("bitwiseAnd:with:(CAST(price, 'NSNumber'), 1) == 1") == "tW")
    #expect(
      chosen("(price & 1) == 1 AND 6 ^ 3 | 8 == 13 AND 1 << 4 >> 3 == 2 AND ~0 == -1") == "tW")
    #expect(chosen("date < now() AND CAST(now(), 'NSNumber') > 0") == "ÉStW")
    #expect(chosen("date == CAST(-978307200, 'NSDate')") == "ÉStW")
    #expect(chosen("CAST('9', 'NSNumber') == price AND CAST(price, 'NSString') == '9'") == "W")
    #expect(chosen("CAST(price, 'NSDecimalNumber') == CAST('9', 'NSDecimalNumber')") == "W")
    #expect(chosen("FUNCTION(title, 'length') == 6 AND FUNCTION(SELF, 'price') == 9") == "W")
    #expect(chosen("FUNCTION(author, 'valueForKey:', 'name') == 'Veen'") == "S")
    #expect(chosen("FUNCTION(date, 'dateByAddingTimeInterval:', 60) > date") == "ÉStW")
    #expect(chosen("date + 60 > date AND 60 + date == date + 60 AND date - 60 < date") == "ÉStW")
    #expect(chosen("date + 60 - date == 60 AND date + nil == nil AND date < now() - 1") == "ÉStW")
    #expect(chosen("date + price == %@", Date(timeIntervalSince1970: 9)) == "W")
    #expect(chosen("TERNARY(isLent == YES, price, 0) == 9") == "W")
    #expect(chosen("'x' IN tags UNION {'x'} AND count(tags UNION tags) < 2") == "StW")
    #expect(chosen("'classic' IN tags UNION nil AND (tags MINUS nil) == nil") == "ÉW")
    #expect(chosen("'classic' IN tags INTERSECT {'classic', 'x'}") == "ÉW")
    #expect(chosen("count(tags MINUS {'classic'}) == 1") == "ÉS")
    #expect(chosen("title CONTAINS[cdl] 'emile' OR title ==[n] 'Walden'") == "ÉW")
    #expect(chosen("price == 0b11 OR price == 0o11") == "tW")
    #expect(chosen("author.name.length + 0 == nil") == "t")
  }

  @Test("random, whose results can't be known, stays in its range")
  func random() {
    for _ in 0..<50 {
      #expect(chosen("randomn(3) IN {0, 1, 2} AND random() BETWEEN {0, 1}") == "ÉStW")
    }
  }

  @Test("a function of a value of the wrong type raises when it's evaluated")
  func wrongTypes() async {
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "abs(SELF) == 3").evaluate(with: "a")
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "uppercase(SELF) == 'A'").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "SELF UNION {1} == 3").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "now() + now() == 3").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "CAST(SELF, 'NSDate') == 3").evaluate(with: "a")
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "FUNCTION(SELF, 'valueForKey:', 3) == 3").evaluate(with: "a")
    }
  }

  @Test("a comparison without a meaning raises when it's evaluated")
  func meaningless() async {
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "ANY SELF == 3").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "SELF LIKE 'x'").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "SELF > 'x'").evaluate(with: 3)
    }
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "SELF == $x").evaluate(with: 3)
    }
  }

  @Test("sort descriptors by key, with the usual comparisons")
  func sorting() {
    func sorted(_ descriptors: NSSortDescriptor...) -> String {
      NSArray(array: books).sortedArray(using: descriptors)
        .map { String(($0 as! Book).title.prefix(1)) }.joined()
    }
    #expect(sorted(NSSortDescriptor(key: "price", ascending: true)) == "tWÉS")
    #expect(sorted(NSSortDescriptor(key: "price", ascending: false)) == "SÉWt")
    #expect(sorted(NSSortDescriptor(key: "author.name", ascending: true)) == "tÉWS")
    #expect(sorted(NSSortDescriptor(key: "title", ascending: true)) == "ÉSWt")
    #expect(
      sorted(
        NSSortDescriptor(key: "title", ascending: true, selector: .caseInsensitiveCompare))
        == "ÉStW")
    #expect(
      sorted(
        NSSortDescriptor(key: "title", ascending: true, selector: .localizedStandardCompare)
      )
      .hasPrefix("É"))
    #expect(
      sorted(
        NSSortDescriptor(key: "isLent", ascending: false),
        NSSortDescriptor(key: "price", ascending: true)) == "WtÉS")
    #expect(
      (["b10", "b9", "A"] as NSArray).sortedArray(
        using: [NSSortDescriptor(key: nil, ascending: true, selector: .localizedStandardCompare)])
        as? [String] == ["A", "b9", "b10"])
    #expect(
      sorted(
        NSSortDescriptor(key: "title", ascending: true) {
          ($0 as! String).count < ($1 as! String).count ? .orderedAscending : .orderedDescending
        }
      ).hasPrefix("ÉW"))
  }
}

@Suite("FoundationKVO: keys of values")
struct PlainKeyTests {
  @KeyValueObservable
  final class Item: NSObject {
    dynamic var name: String? = "chair"
    dynamic var count = 3
    dynamic var tags = ["a", "bcd"]
    dynamic var url = URL(string: "https://example.com/a/b.txt?q=1")!
    dynamic var date = Date(timeIntervalSince1970: 5)
  }

  @Test("a path may end in a key that Cocoa's strings, numbers, dates and others have")
  func values() {
    let item = Item()
    #expect(item.value(forKeyPath: "name.length") as? Int == 5)
    #expect(item.value(forKeyPath: "name.uppercaseString") as? String == "CHAIR")
    #expect(item.value(forKeyPath: "name.uppercaseString.length.stringValue") as? String == "5")
    #expect(item.value(forKeyPath: "count.doubleValue") as? Double == 3)
    #expect(item.value(forKeyPath: "count.stringValue") as? String == "3")
    #expect(item.value(forKeyPath: "count.decimalValue") as? NSDecimalNumber == 3)
    #expect(item.value(forKeyPath: "tags.length") as? [Int] == [1, 3])
    #expect(item.value(forKeyPath: "tags.@max.length") as? Int == 3)
    #expect(item.value(forKeyPath: "url.host") as? String == "example.com")
    #expect(item.value(forKeyPath: "url.fragment") == nil)
    #expect(item.value(forKeyPath: "date.timeIntervalSince1970") as? Double == 5)
    #expect((["7", "8"] as NSArray).value(forKey: "intValue") as? [Int] == [7, 8])
    #expect((NSString("12 a") as Foundation.NSObject).value(forKey: "intValue") as? Int == 12)
    #expect("\(item.value(forKeyPath: "count.doubleValue")!)" == "3")
    #expect("\(item.value(forKeyPath: "date.timeIntervalSince1970")!)" == "5")
    item.name = "2"
    #expect("\(item.value(forKeyPath: "name.floatValue")!)" == "2")
    item.name = nil
    #expect(item.value(forKeyPath: "name.length") == nil)
  }

  @Test("an unknown key of a value raises; a path through one is refused when it's observed")
  func refused() async {
    await #expect(processExitsWith: .failure) { _ = Item().value(forKeyPath: "name.size") }
    await #expect(processExitsWith: .failure) {
      Item().addObserver(Witness(), forKeyPath: "name.length", context: nil)
    }
    await #expect(processExitsWith: .failure) {
      let item = Item()
      item.name = nil
      item.addObserver(Witness(), forKeyPath: "name.length", context: nil)
    }
  }

  @Test("an object that's only known to be Foundation's has the root's methods")
  func calls() {
    let item = Item()
    let object = item as Foundation.NSObject
    object.setValue(4, forKey: "count")
    #expect(item.count == 4)
    object.setValue(5, forKeyPath: "count")
    #expect(object.value(forKey: "count") as? Int == 5)
    #expect(object.value(forKeyPath: "name.length") as? Int == 5)
  }

  @KeyValueObservable
  final class Lenient: NSObject {
    @KeyValueIgnored var asked: [String] = []
    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { asked.append(key) }
  }

  @Test("such an object takes a key with a dot as one key, not as a path")
  func keysWithDots() {
    let dictionary = NSMutableDictionary(dictionary: ["a.b": 1])
    let object = dictionary as Foundation.NSObject
    object.setValue(2, forKey: "c.d")
    object.setValue(nil, forKey: "a.b")
    #expect(dictionary == ["c.d": 2])
    #expect(object.value(forKey: "c.d") as? Int == 2)
    let constant = NSDictionary(dictionary: ["a.b": 1]) as Foundation.NSObject
    #expect(constant.value(forKey: "a.b") as? Int == 1)
    let lenient = Lenient()
    let other = lenient as Foundation.NSObject
    other.setValue(3, forKey: "a.b")
    #expect(lenient.asked == ["a.b"])
    #expect(other.value(forKey: "a.b") as? String == "no a.b")
  }

  @Test("a key that such an object doesn't have raises with its name")
  func missingKeys() async {
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        exit(violation.description.contains("has no key 'length.self'. ") ? 0 : 1)
      }
      _ = (NSString("a") as Foundation.NSObject).value(forKey: "length.self")
      exit(2)
    }
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        exit(violation.description.contains("has no keys to set, so 'a.b' can't be set. ") ? 0 : 1)
      }
      (NSString("a") as Foundation.NSObject).setValue(1, forKey: "a.b")
      exit(2)
    }
  }
}
