import KeyValueObserving

// Dependent keys of an order, with typical getters. Each row changes a value that its getter reads;
// then observers of the key are notified, or the audit reports which changes they miss.

extension SilenceRow {
  /// Observes a getter by name while a value that it reads changes.
  private static func getter(
    _ title: String, _ code: String, _ key: String, of make: @escaping () -> Order = { Order() },
    change: @escaping (Order) -> Void
  ) -> SilenceRow {
    SilenceRow(title, code) { witness in
      let order = make()
      witness.keep(try order.observe(key, options: [.old, .new], changeHandler: witness.heard))
      change(order)
    }
  }

  static func getters() -> [SilenceRow] { plain() + collections() + members() }

  private static func plain() -> [SilenceRow] {
    [
      getter("Its own keys", #"var label: String { "\(number): \(note)" }"#, "label") {
        $0.note = "now"
      },
      getter("A key of a key", #"var greeting: String { "Order \(label)" }"#, "greeting") {
        $0.note = "now"
      },
      getter("An optional chain", #"var payer: String? { customer?.name }"#, "payer") {
        $0.customer?.name = "Grace"
      },
      getter("A weak object", #"var by: String { clerk?.name ?? "" }"#, "by") {
        $0.clerk = $0.customer
      },
      getter("A method of the class", #"var total: Int { net() }"#, "total") { $0.number = 2 },
      getter("A local function", #"var twice: Int { … }"#, "twice") { $0.number = 2 },
      getter("A static method given self", #"var sum: Int { Self.sum(self) }"#, "sum") {
        $0.number = 2
      },
      getter("A subscript", #"var first: Line? { self[0] }"#, "first") { $0.lines = [] },
      getter(
        "if let", #"var iffy: String { if let customer { customer.name } else { "" } }"#, "iffy"
      ) {
        $0.customer?.name = "Grace"
      },
      getter("guard", #"guard let customer, customer.name != "" else { return 0 }"#, "guarded") {
        $0.customer?.name = ""
      },
      getter(
        "switch", #"switch state { case .open: customer?.name; case .sent(let date): date }"#,
        "switched"
      ) { $0.customer?.name = "Grace" },
      getter("A ternary", #"var urgent: String { number > 1 ? note : "" }"#, "urgent") {
        $0.number = 2
      },
      getter("A local variable", #"let me = self; return me.note"#, "renamed") { $0.note = "now" },
      getter("A closure that is called", #"{ [weak self] in self?.note ?? "" }()"#, "enclosed") {
        $0.note = "now"
      },
      getter("Members of values", #"var width: Int { size.width }"#, "width") { $0.size.width = 2 },
      getter("A computed property that is ignored", #"var trim: String { trimmed }"#, "trim") {
        $0.note = "now"
      },
      getter(
        "A key and an ignored property, which is no source",
        #"var ended: String { note + ending }"#, "ended"
      ) {
        $0.ending = "!"
        $0.note = "now"
      },
      getter("An operator of the class", #"var same: Bool { self == other }"#, "same") {
        $0.number = 2
      },
      getter("The object's own description", #"var text: String { "\(self)" }"#, "text") {
        $0.number = 2
      },
      getter(
        "@DependsOn that names one of two",
        #"@DependsOn("note") var both: String { note + "\(number)" }"#,
        "both"
      ) { $0.number = 2 },
      getter(
        "A method of another object of the class", #"var others: Int { other?.net() ?? 0 }"#,
        "others",
        of: { Order(other: Order()) }
      ) { $0.other?.number = 2 },
    ]
  }

  private static func collections() -> [SilenceRow] {
    let price: (Order) -> Void = { $0.lines[0].price = 7 }
    return [
      getter("map", #"var names: [String] { lines.map { $0.name } }"#, "names") {
        $0.lines[0].name = "Ink"
      },
      getter(
        "map with a key path", #"var prices: [Int] { lines.map(\.price) }"#, "prices", change: price
      ),
      getter("filter", #"lines.filter { $0.price > 1 }.count"#, "dear", change: price),
      getter("reduce", #"lines.reduce(0) { $0 + $1.price }"#, "costs", change: price),
      getter(
        "sorted", #"lines.sorted { $0.price < $1.price }.map(\.price)"#, "inOrder", change: price),
      getter("min", #"lines.min { $0.price < $1.price }?.price"#, "cheapest", change: price),
      getter("first(where:)", #"lines.first { $0.price > 1 }?.name"#, "firstDear", change: price),
      getter("contains", #"lines.contains { $0.price > 1 }"#, "isDear", change: price),
      getter(
        "Dictionary(grouping:by:)", #"Dictionary(grouping: lines) { $0.price }.count"#, "grouped",
        change: price),
      getter(
        "zip", #"zip(lines, lines.dropFirst()).map { $0.price - $1.price }"#, "steps", change: price
      ),
      getter("lazy", #"lines.lazy.map { $0.price }.max()"#, "dearest", change: price),
      getter(
        "for", #"for line in lines where line.price > 1 { count += 1 }"#, "counted", change: price),
      getter("An index", #"var firstPrice: Int { lines[0].price }"#, "firstPrice", change: price),
      getter(
        "Sums by a string path", #"@DependsOn("lines.@sum.price") var bill: Int"#, "bill",
        change: price),
      getter(
        "A closure in a closure",
        #"lines.map { line in lines.filter { $0.price < line.price }.count }"#,
        "ranks", change: price),
    ]
  }

  private static func members() -> [SilenceRow] {
    [
      getter(
        "A key of a superclass", #"var upper: String { note.uppercased() }"#, "upper",
        of: { Rush() }
      ) { $0.note = "now" },
      getter("super", #"override var label: String { super.label + "!" }"#, "label", of: { Rush() })
      {
        $0.note = "now"
      },
      getter(
        "A method that a subclass overrides, and that reads more there",
        #"override func net() -> Int { number + fee }"#, "total", of: { Rush() }
      ) { ($0 as? Rush)?.fee = 2 },
      getter(
        "A getter overridden in a class without the macro",
        #"override var greeting: String { note + "!" + mark }"#,
        "greeting", of: { Plain() }
      ) { ($0 as? Plain)?.note = "now" },
      getter(
        "The same, with a variable of its own",
        #"var charge = 5…override var greeting: String { "\(note), \(charge)" }"#,
        "greeting", of: { Charged() }
      ) { ($0 as? Charged)?.charge = 6 },
      getter(
        "self handed to a helper, beside @DependsOn",
        #"@DependsOn("note") var taxed: Int { note.count + Tax.of(self) }"#, "taxed"
      ) { $0.number = 2 },
      getter(
        "A singleton", #"@DependsOn("note") var themed: String { note + Shop.shared.name }"#,
        "themed"
      ) { _ in Shop.shared.name = "Corner" },
      getter(
        "A member of an extension", #"@DependsOn("note") var badge: String { note + mark }"#,
        "badge"
      ) {
        $0.number = 2
      },
      getter(
        "A member of a protocol's extension",
        #"@DependsOn("note") var tag: String { note + numbered }"#,
        "tag"
      ) { $0.number = 3 },
      getter(
        "A method of another class", #"var billed: String { customer?.formatted() ?? "" }"#,
        "billed"
      ) {
        $0.customer?.name = "Grace"
      },
      getter(
        "A method of another class, of elements",
        #"var open: Int { lines.filter { $0.isOpen() }.count }"#, "open"
      ) { $0.lines[0].price = 0 },
      getter("An object in a string", #"var hello: String { "Hello \(customer!)" }"#, "hello") {
        $0.customer?.name = "Grace"
      },
      getter(
        "Objects in a dictionary", #"var shelf: Int { byName.values.reduce(0) { $0 + $1.price } }"#,
        "shelf"
      ) { $0.byName["a"]?.price = 7 },
      getter("An object in a structure", #"var parcel: Int { box.line.price }"#, "parcel") {
        $0.box.line.price = 7
      },
      getter("An object in a tuple", #"var paired: Int { pair.0.price }"#, "paired") {
        $0.pair.0.price = 7
      },
      getter(
        "An object in an enum's payload",
        #"if case .held(let line) = place { line.price } else { 0 }"#, "placed"
      ) {
        if case .held(let line) = $0.place { line.price = 7 }
      },
      getter("An existential", #"var cost: Int { item.price }"#, "cost") {
        ($0.item as? Line)?.price = 7
      },
      getter("A dictionary's entry", #"var entry: Int { byName["a"]?.price ?? 0 }"#, "entry") {
        $0.byName["a"]?.price = 7
      },
      getter("An object of a class without the macro", #"var power: Int { motor.power }"#, "power")
      {
        $0.motor.power = 7
      },
      getter(
        "A constant object of a class without the macro", #"var drive: Int { engine.power }"#,
        "drive"
      ) { $0.engine.power = 7 },
      getter(
        "Elements of a class without the macro", #"var powers: [Int] { motors.map { $0.power } }"#,
        "powers"
      ) { $0.motors[0].power = 7 },
      getter(
        "A function of an extension", #"@DependsOn("note") var said: String { note + say() }"#,
        "said"
      ) { $0.number = 2 },
      getter(
        "A stored closure given self",
        #"@DependsOn("note") var styled: String { note + style(self) }"#, "styled"
      ) { $0.number = 2 },
      getter(
        "The last statement of a result builder",
        #"@Lines var letter: [String] { note; customer!.name }"#, "letter"
      ) { $0.customer?.name = "Grace" },
      getter(
        "A variable of a class without the macro between two with it",
        #"private class Levied: Order { var levy = 2 }…var due: Int { number + levy }"#, "due",
        of: { Taxed() }
      ) { ($0 as? Taxed)?.levy = 7 },
      getter(
        "Such a variable alone", #"var extra: Int { levy }"#, "extra", of: { Taxed() }
      ) { ($0 as? Taxed)?.levy = 7 },
      SilenceRow(
        "A variable of a plain class under two with the macro",
        #"private class Paper { var grade = 1 }…var grading: Int { stamps + grade }"#
      ) { witness in
        let letter = Express()
        witness.keep(letter.observe(\.grading, options: .new, changeHandler: witness.heard))
        letter.grade = 7
      },
      getter(
        "A class function of the key",
        #"static func keyPathsForValuesAffectingTold() -> Set<String> { ["number"] }"#,
        "told"
      ) { $0.number = 2 },
    ]
  }
}

@KeyValueObservable
private class Order: Numbered, CustomStringConvertible {
  enum State { case open, sent(String) }
  enum Place { case nowhere, held(Line) }

  var number = 1
  var note = "soon"
  var customer: Customer? = Customer()
  weak var clerk: Customer?
  var other: Order?
  var lines = [Line("Pen", 1), Line("Pad", 2)]
  var byName = ["a": Line("Pen", 1)]
  var motor = Motor()
  var motors = [Motor()]
  let engine = Motor()
  var size = Size()
  var state = State.open
  var place = Place.held(Line("Pen", 1))
  var box = Carton()
  var pair = (Line("Pen", 1), 1)
  var item: any Priced = Line("Pen", 1)
  @KeyValueIgnored let style: (Order) -> String = { "\($0.number)" }
  @KeyValueIgnored var ending = ""
  @KeyValueIgnored var trimmed: String { String(note.prefix(2)) }

  var label: String { "\(number): \(note)" }
  var greeting: String { "Order \(label)" }
  var payer: String? { customer?.name }
  var by: String { clerk?.name ?? "" }
  var total: Int { net() }
  var twice: Int {
    func double(_ number: Int) -> Int { number * 2 }
    return double(number)
  }
  var sum: Int { Self.sum(self) }
  var first: Line? { self[0] }
  var iffy: String { if let customer { customer.name } else { "" } }
  var guarded: Int {
    guard let customer, customer.name != "" else { return 0 }
    return number
  }
  var switched: String? {
    switch state {
    case .open: customer?.name
    case .sent(let date): date
    }
  }
  var urgent: String { number > 1 ? note : "" }
  var renamed: String {
    let me = self
    return me.note
  }
  var enclosed: String { { [weak self] in self?.note ?? "" }() }
  var width: Int { size.width }
  var trim: String { trimmed }
  var ended: String { note + ending }
  var same: Bool { self == other }
  var text: String { "\(self)" }
  @DependsOn("note") var both: String { note + "\(number)" }
  var others: Int { other?.net() ?? 0 }

  var names: [String] { lines.map { $0.name } }
  var prices: [Int] { lines.map(\.price) }
  var dear: Int { lines.filter { $0.price > 1 }.count }
  var costs: Int { lines.reduce(0) { $0 + $1.price } }
  var inOrder: [Int] { lines.sorted { $0.price < $1.price }.map(\.price) }
  var cheapest: Int? { lines.min { $0.price < $1.price }?.price }
  var firstDear: String? { lines.first { $0.price > 1 }?.name }
  var isDear: Bool { lines.contains { $0.price > 1 } }
  var grouped: Int { Dictionary(grouping: lines) { $0.price }.count }
  var steps: [Int] { zip(lines, lines.dropFirst()).map { $0.price - $1.price } }
  var dearest: Int? { lines.lazy.map { $0.price }.max() }
  var counted: Int {
    var count = 0
    for line in lines where line.price > 1 { count += 1 }
    return count
  }
  var firstPrice: Int { lines[0].price }
  @DependsOn("lines.@sum.price") var bill: Int { Tax.sum(lines) }
  var ranks: [Int] { lines.map { line in lines.filter { $0.price < line.price }.count } }

  @DependsOn("note") var taxed: Int { note.count + Tax.of(self) }
  @DependsOn("note") var themed: String { note + Shop.shared.name }
  @DependsOn("note") var badge: String { note + mark }
  @DependsOn("note") var tag: String { note + numbered }
  var billed: String { customer?.formatted() ?? "" }
  var open: Int { lines.filter { $0.isOpen() }.count }
  var hello: String { "Hello \(customer!)" }
  var shelf: Int { byName.values.reduce(0) { $0 + $1.price } }
  var parcel: Int { box.line.price }
  var paired: Int { pair.0.price }
  var placed: Int { if case .held(let line) = place { line.price } else { 0 } }
  var cost: Int { item.price }
  var entry: Int { byName["a"]?.price ?? 0 }
  var power: Int { motor.power }
  var drive: Int { engine.power }
  var powers: [Int] { motors.map { $0.power } }
  @DependsOn("note") var said: String { note + say() }
  @DependsOn("note") var styled: String { note + style(self) }
  @Lines var letter: [String] { note; customer!.name }
  var told: String { say() }
  static func keyPathsForValuesAffectingTold() -> Set<String> { ["number"] }

  init(other: Order? = nil) { self.other = other }

  var description: String { "Order \(number)" }
  func net() -> Int { number }
  subscript(index: Int) -> Line? { index < lines.count ? lines[index] : nil }
  static func sum(_ order: Order) -> Int { order.number + order.lines.count }
  static func == (a: Order, b: Order?) -> Bool { a.number == b?.number }
}

@KeyValueObservable
private final class Rush: Order {
  var fee = 1
  var upper: String { note.uppercased() }
  override var label: String { super.label + "!" }
  override func net() -> Int { number + fee }
}

private class Levied: Order { var levy = 2 }

@KeyValueObservable
private final class Taxed: Levied {
  var due: Int { number + levy }
  var extra: Int { levy }
}

private class Paper { var grade = 1 }

@KeyValueObservable
private class Letter: Paper { var stamps = 1 }

@KeyValueObservable
private final class Express: Letter {
  var grading: Int { stamps + grade }
}

@resultBuilder
private enum Lines {
  static func buildBlock(_ lines: String...) -> [String] { lines }
}

private final class Charged: Order {
  var charge = 5
  override var greeting: String { "\(note), \(charge)" }
}

private final class Plain: Order {
  override var greeting: String { note + "!" + mark }
}

@KeyValueObservable
private final class Customer: CustomStringConvertible {
  var name = "Ada"
  var description: String { name }
  func formatted() -> String { "Mrs \(name)" }
}

@KeyValueObservable
private final class Line: Priced, CustomStringConvertible {
  var name: String
  var price: Int
  var description: String { "Line" }

  init(_ name: String, _ price: Int) {
    self.name = name
    self.price = price
  }

  func isOpen() -> Bool { price > 0 }
}

@KeyValueObservable
private final class Shop: @unchecked Sendable {
  static let shared = Shop()
  var name = "Old"
}

private enum Tax {
  static func of(_ order: Order) -> Int { order.number }
  static func sum(_ lines: [Line]) -> Int { lines.reduce(0) { $0 + $1.price } }
}

private final class Motor { var power = 1 }

private struct Size { var width = 1 }

private struct Carton { let line = Line("Pen", 1) }

private protocol Priced { var price: Int { get } }

private protocol Numbered { var number: Int { get } }

extension Numbered {
  fileprivate var numbered: String { "#\(number)" }
}

extension Order {
  fileprivate var mark: String { "#\(number)" }
  fileprivate func say() -> String { "#\(number)" }
}
