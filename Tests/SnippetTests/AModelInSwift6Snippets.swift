import Foundation
import KeyValueObserving
import KeyValueTesting
import Testing

/// The page's program: its types here, and its statements in the test.
private enum Model {
  // snippet AModelInSwift6 1
  /// A line of an import: a value, which any thread may create.
  struct Row: Sendable {
    let name: String
    let price: Int
    let count: Int

    /// Reads a text outside of the main actor.
    @concurrent
    static func read(_ text: String) async throws -> [Row] {
      try text.split(separator: "\n").map { line in
        let fields = line.split(separator: ",")
        guard fields.count == 3 else { throw StockError.unreadable(String(line)) }
        return Row(
          name: String(fields[0]), price: try number(fields[1]), count: try number(fields[2]))
      }
    }

    static func number(_ text: some StringProtocol) throws -> Int {
      guard let number = Int(text) else { throw StockError.unreadable(String(text)) }
      return number
    }
  }

  enum StockError: Error { case unreadable(String), negative(Int) }

  @MainActor
  @KeyValueObservable
  final class Product: @MainActor Codable {
    var name: String
    var price: Int
    var count = 0
    var value: Int { price * count }

    init(name: String, price: Int) {
      self.name = name
      self.price = price
    }

    /// Bindings with `validates: true` find it by its name.
    func validateCount(_ count: inout Int) throws {
      if count < 0 { throw StockError.negative(count) }
      count = min(count, 999)
    }
  }

  @MainActor
  @KeyValueObservable
  final class Stock: @MainActor Codable {
    var products: [Product] = []
    var total: Int { products.reduce(0) { $0 + $1.value } }

    init() {}

    /// Adds all rows or none, and notifies every observer once.
    func add(_ rows: [Row]) throws {
      try performChanges(rollingBack: true) { stock in
        for row in rows {
          let known = stock.products.first { $0.name == row.name }
          let product = known ?? Product(name: row.name, price: row.price)
          var count = product.count + row.count
          try product.validateCount(&count)
          product.count = count
          if known == nil { stock.products.append(product) }
        }
      }
    }
  }

  /// A text field of a form.
  @MainActor
  @KeyValueObservable
  final class Field {
    var text = ""
  }

  /// A stock in a file: it can be undone, logs its changes, and saves itself.
  @MainActor
  final class Document {
    let stock: Stock
    let recorder = KeyValueChangeRecorder()
    private let log: KeyValueChangeLog<Stock>
    private let file: URL
    private var logging: KeyValueObservation?
    private var saving: Task<Void, Never>?

    init(_ file: URL) throws {
      self.file = file
      let isThere = FileManager.default.fileExists(atPath: file.path)
      stock = try isThere ? JSONDecoder().decode(Stock.self, from: Data(contentsOf: file)) : Stock()
      // Both follow every stored property of the stock and of its products, also of later ones.
      try recorder.record(graph: stock)
      log = try KeyValueChangeLog(of: stock)
      logging = log.observe { [unowned self] record in
        print("log:", record.edits.map { $0.key ?? "product" })
        saveLater()
      }
    }

    /// Saves once for all changes that are made before the main actor is free again.
    private func saveLater() {
      guard saving == nil else { return }
      saving = Task {
        saving = nil
        do {
          try JSONEncoder().encode(stock).write(to: file, options: .atomic)
          print("saved:", stock.products.map(\.count))
        } catch {
          print("not saved:", error)
        }
      }
    }

    /// Waits until everything is saved.
    func close() async { await saving?.value }
  }
  // end
}

extension Model {
  // snippet AModelInSwift6 4
  @MainActor
  @KeyValueObservable
  final class Line {
    let product: Product
    var count: Int
    var amount: Int { product.price * count }

    init(_ product: Product, count: Int) {
      self.product = product
      self.count = count
    }
  }

  @MainActor
  @KeyValueObservable
  final class Invoice {
    var lines: [Line] = []
    var total: Int { lines.reduce(0) { $0 + $1.amount } }
  }

  @MainActor
  @KeyValueObservable
  final class Customer {
    var invoices: [Invoice] = []
    var total: Int { invoices.reduce(0) { $0 + $1.total } }
  }

  @MainActor
  @KeyValueObservable
  final class Shop {
    let stock = Stock()
    var customers: [Customer] = []
    var sales: Int { customers.reduce(0) { $0 + $1.total } }
  }
  // end
}

/// A form of the selected product.
@MainActor
@KeyValueObservable
private final class SelectionForm {
  var product: Model.Product?
}

@MainActor
@KeyValueObservable
private final class MisspeltStock {
  var products: [Model.Product] = []
  @DependsOn("products.@sum.valeu")
  var total: Int { products.reduce(0) { $0 + $1.value } }
}

@Suite("AModelInSwift6.md", .printing)
struct AModelInSwift6Snippets {
  private typealias Row = Model.Row
  private typealias Stock = Model.Stock
  private typealias StockError = Model.StockError
  private typealias Field = Model.Field
  private typealias Document = Model.Document
  private typealias Line = Model.Line
  private typealias Invoice = Model.Invoice
  private typealias Customer = Model.Customer
  private typealias Shop = Model.Shop

  @Test("The program prints what its comments say, and has at most 150 lines")
  @MainActor func program() async throws {
    // snippet AModelInSwift6 1
    let file = URL.temporaryDirectory.appending(path: "stock-\(UUID()).json")
    let document = try Document(file)
    let stock = document.stock
    let totals = stock.kvo.total.observe(options: [.old, .new]) { _, change in
      print("total:", change.oldValue ?? 0, "->", change.newValue ?? 0)
    }
    try stock.add(await Row.read("tea,450,10"))
    // total: 0 -> 4500, then log: ["product", "products"]
    await document.close()  // saved: [10]
    do {
      try stock.add(await Row.read("tea,450,2\nmug,900,-5"))
    } catch {
      print("refused:", error)  // refused: negative(-5)
    }

    let field = Field()
    let binding = stock.products[0].kvo.count.bindTwoWay(
      to: field.kvo.text,
      transformer: KeyValueTransformer(forward: { String($0) }, backward: { try Row.number($0) }),
      validates: true, onError: { error in print("refused:", error) })
    field.text = "1000"  // total: 4500 -> 449550, then log: ["count"]
    print(field.text)  // 999
    field.text = "-3"  // refused: negative(-3)
    field.text = "many"  // refused: unreadable("many")
    try document.recorder.undo()  // total: 449550 -> 4500, then log: ["count"]

    // An import of two rows is one call of each observer, one record of the log, and one level to undo.
    try stock.add(await Row.read("tea,450,2\nmug,900,4"))
    // saved: [10], then total: 4500 -> 9000, then log: ["product", "count", "products"]
    try document.recorder.undo()  // total: 9000 -> 4500, then log: ["products", "count", "product"]
    print(stock.products.map(\.count))  // [10]
    try document.recorder.redo()  // total: 4500 -> 9000, then log: ["product", "count", "products"]
    await document.close()  // saved: [12, 4]
    print(try JSONDecoder().decode(Stock.self, from: Data(contentsOf: file)).total)  // 9000
    // end
    try FileManager.default.removeItem(at: file)
    try expectPrinted(
      "AModelInSwift6", 1,
      remarks: [
        "Both follow every stored property of the stock and of its products, also of later ones.",
        "An import of two rows is one call of each observer, one record of the log, and one level to undo.",
      ])
    // Each undo takes back a whole import or one line of the form.
    var states = ["\(stock.products.map { "\($0.name) \($0.count)" }) \(field.text)"]
    while document.recorder.canUndo {
      try document.recorder.undo()
      states.append("\(stock.products.map { "\($0.name) \($0.count)" }) \(field.text)")
    }
    #expect(
      states == [
        #"["tea 12", "mug 4"] 12"#, #"["tea 10"] 10"#, "[] 10",
      ])
    await document.close()
    try FileManager.default.removeItem(at: file)
    let lines = try #require(try Page("AModelInSwift6").snippet(1)).lines
    #expect(lines.count <= 150)
    withExtendedLifetime((totals, binding)) {}
  }

  @Test(
    "A refused text stays in the field; an observer registered before the binding removes a message"
  )
  @MainActor func refused() {
    let product = Model.Product(name: "tea", price: 450)
    let field = Field()
    var message: String?
    let removing = field.kvo.text.observe { _, _ in message = nil }
    let binding = product.kvo.count.bindTwoWay(
      to: field.kvo.text,
      transformer: KeyValueTransformer(forward: { String($0) }, backward: { try Row.number($0) }),
      validates: true, onError: { error in message = "\(error)" })
    field.text = "-3"
    #expect(message == "negative(-3)" && field.text == "-3" && product.count == 0)
    field.text = "4"
    #expect(message == nil && field.text == "4" && product.count == 4)
    withExtendedLifetime((removing, binding)) {}
  }

  @Test("A form's binding follows the selection, whose value is optional")
  @MainActor func selection() {
    let form = SelectionForm()
    let field = Field()
    let binding = form.kvo.product.count.bindTwoWay(
      to: field.kvo.text,
      transformer: KeyValueTransformer(
        forward: { $0.map { String($0) } ?? "" }, backward: { try Row.number($0) }),
      validates: true, onError: { error in Issue.record(error) })
    #expect(field.text == "")
    let products = [4, 5].map { count in
      let product = Model.Product(name: "tea", price: 450)
      product.count = count
      return product
    }
    form.product = products[0]
    #expect(field.text == "4")
    field.text = "1000"
    #expect(field.text == "999")
    form.product = products[1]
    #expect(field.text == "5")
    form.product = nil
    #expect(field.text == "" && products.map(\.count) == [999, 5])
    withExtendedLifetime(binding) {}
  }

  @Test("Each change of the stock is in its log, and a recorder of the graph undoes it")
  @MainActor func everything() throws {
    let stock = Stock()
    let log = try KeyValueChangeLog(of: stock)
    var keys: [String] = []
    let observation = log.observe { record in
      keys += record.edits.map { edit in
        if case .set(_, let key, let old, let new) = edit {
          "\(key): \(old) -> \(new)"
        } else {
          "\(edit)"
        }
      }
    }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: stock)
    try stock.add([Row(name: "tea", price: 450, count: 10)])
    keys = []
    try stock.add([Row(name: "tea", price: 450, count: 2)])
    #expect(keys == ["count: 10 -> 12"])
    try recorder.undo()
    try recorder.undo()
    #expect(stock.products.isEmpty)
    withExtendedLifetime(observation) {}
  }

  @Test("Totals over four levels follow a line, its count and its product's price")
  @MainActor func levels() throws {
    // snippet AModelInSwift6 4
    let shop = Shop()
    try shop.stock.add([Row(name: "tea", price: 450, count: 10)])
    shop.customers = [Customer()]
    shop.customers[0].invoices = [Invoice()]
    let sales = shop.kvo.sales.observe(options: [.old, .new]) { _, change in
      print("sales:", change.oldValue ?? 0, "->", change.newValue ?? 0)
    }
    let invoice = shop.customers[0].invoices[0]
    invoice.lines.append(Line(shop.stock.products[0], count: 2))  // sales: 0 -> 900
    invoice.lines[0].count = 3  // sales: 900 -> 1350
    shop.stock.products[0].price = 500  // sales: 1350 -> 1500
    // end
    try expectPrinted("AModelInSwift6", 4)
    // A recorder needs no way to make a line, a log does.
    try KeyValueChangeRecorder().record(graph: shop)
    #expect(throws: KeyValueLogError.self) { try KeyValueChangeLog(of: shop) }
    _ = try KeyValueChangeLog(
      of: shop,
      classes: [
        KeyValueLogClass(Line.self) {
          Line(try $0.value("product"), count: try $0.value("count"))
        }
      ])
    withExtendedLifetime(sales) {}
  }

  @Test("A misspelt key of another class in @DependsOn is a violation that names the nearest key")
  @MainActor func misspelt() {
    expectViolation(
      .unobservablePath,
      "Product has no key 'valeu' (component 3 of 'products.@sum.valeu'). Did you mean 'value'?"
    ) {
      MisspeltStock().kvo.total.observe { _, _ in }.invalidate()
    }
  }

  // snippet AModelInSwift6 5
  @MainActor
  @Suite(.violationsFail)
  struct StockTests {
    @Test func imports() throws {
      let stock = Stock()
      try expectChanges(of: stock.kvo.total) {
        try stock.add([Row(name: "tea", price: 3, count: 2), Row(name: "salt", price: 1, count: 4)])
      } are: {
        change(stock.kvo.total, old: 0, new: 10)
      }
    }
  }
  // end
}
