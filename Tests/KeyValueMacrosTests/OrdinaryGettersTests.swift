import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// Getters typical of ordinary applications; only those that read the time deserve a warning.
@Suite("Getters of ordinary application code")
struct OrdinaryGettersTests {
  @Test("L3 the getters of a typical view model cause no warning", arguments: viewModel)
  func ordinary(_ getter: String) {
    let found = warnings(on: viewModelSource(getter))
    #expect(found == [])
  }

  @Test(
    "L3 a getter of a typical view model that reads the time is warned of",
    arguments: [
      (#"dueDate.map { $0 < Date.now } ?? false"#, "Date.now", #""dueDate""#),
      (#"calendar.isDateInToday(createdAt)"#, "calendar.isDateInToday(…)", ""),
      (
        #"Calendar.current.dateComponents([.day], from: createdAt, to: dueDate ?? Date()).day ?? 0"#,
        "Date()", #""dueDate""#
      ),
      (#"Date().timeIntervalSince(createdAt)"#, "Date()", ""),
      (#"DateInterval(start: createdAt, duration: 60).contains(Date())"#, "Date()", ""),
    ])
  func time(_ getter: String, clock: String, keys: String) {
    #expect(
      warnings(on: viewModelSource(getter)) == [
        "'result' reads the time, '\(clock)', which is no key, so nothing notifies 'result' as time "
          + "passes; keep the time in a property that a timer sets, or write @DependsOn(\(keys)) if that "
          + "is meant"
      ])
  }
}

private func viewModelSource(_ getter: String) -> String {
  """
  @KeyValueObservable
  final class OrderViewModel: NSObject, Identifiable {
    enum Phase { case idle, loading, loaded([Order]), failed(any Error) }
    enum Sorting: String, CaseIterable { case name, date }
    struct Style { var margin = 8.0; static let plain = Style() }
    static let dateFormatter = DateFormatter()
    static let pageSize = 20
    static var logger = Logger()
    let id = UUID()
    let createdAt = Date()
    let currency: String
    let item: Item
    let style = Style()
    let kind: Kind
    let formatter = NumberFormatter()
    let calendar: Calendar
    let pattern = /[a-z]+/
    var orders: [Order] = []
    var selection: Set<Int> = []
    var phase = Phase.idle
    var sorting: Sorting = .name
    var query = ""
    var name: String?
    var price: Decimal = 0
    var quantity = 1
    var discount: Double?
    var dueDate: Date?
    var url: URL?
    var ratings: [Int: Double] = [:]
    var isAdmin = false
    var size = CGSize.zero
    var attempts = 0
    private var total: Decimal { price * Decimal(quantity) }
    private func describe(_ order: Order) -> String { "\\(order.name): \\(order.count)" }
    private static func clean(_ text: String) -> String { text.lowercased() }
    var result: Any { \(getter) }
  }
  """
}

private let viewModel = [
  // Formatting.
  #""\(quantity) × \(price) = \(total)""#,
  #"price.formatted(.currency(code: currency))"#,
  #"Self.dateFormatter.string(from: createdAt)"#,
  #"formatter.string(from: price as NSDecimalNumber) ?? "–""#,
  #"let f = NumberFormatter(); f.numberStyle = .percent; return f.string(from: 1)!"#,
  #"String(format: "%.2f", discount ?? 0)"#,
  #"NSLocalizedString("order.title", comment: "")"#,
  #"String(localized: "\(quantity) items")"#,
  #"dueDate?.formatted(date: .abbreviated, time: .omitted) ?? String(localized: "none")"#,
  #"createdAt.formatted()"#,
  #"id.uuidString"#,
  // Dates and calendars.
  #"Locale.current.identifier"#,
  #"TimeZone.current.secondsFromGMT()"#,
  // Switches, guards, ternaries.
  """
  switch phase {
  case .idle: "idle"
  case .loading: "…"
  case .loaded(let orders) where orders.isEmpty: "none"
  case .loaded(let orders): "\\(orders.count)"
  case .failed(let error): error.localizedDescription
  }
  """,
  #"if case .loaded(let found) = phase { return found.count }; return 0"#,
  #"guard let name, !name.isEmpty else { return "?" }; return name.prefix(1).uppercased()"#,
  #"guard case .failed(let error as URLError) = phase else { return nil }; return error.code"#,
  #"isAdmin ? "admin" : quantity > 1 ? "many" : "one""#,
  #"if let name { name } else if let url { url.absoluteString } else { "" }"#,
  #"do { return try JSONEncoder().encode(orders.map(\.name)) } catch { return Data() }"#,
  #"(try? JSONDecoder().decode([String].self, from: Data(query.utf8))) ?? []"#,
  #"if case let .loaded(found) = phase { return found.count }; return 0"#,
  #"switch (name, quantity) { case let (n?, q) where q > 1: return n; default: return query }"#,
  #"switch quantity { case 0: "none"; case 1..<attempts: "few"; case let n: "\(n)" }"#,
  #"do { return try String(contentsOf: url!) } catch let e as NSError { return e.domain }"#,
  #"for case let order? in [orders.first, orders.last] { return order.name }; return nil"#,
  #"var rest = orders[...]; while let order = rest.popFirst() { if order.isOpen { return order } }"#,
  #"outer: for a in orders { for b in orders where a === b { continue outer } }; return 0"#,
  #"if #available(iOS 17, *) { return query } else { return name ?? "" }"#,
  #"let limit: Int; if isAdmin { limit = 10 } else { limit = quantity }; return limit"#,
  #"struct Pair { let a: Int }; return Pair(a: quantity).a"#,
  #"let (width, height) = (size.width, size.height); return width * height"#,
  #"lazy var text = query.uppercased(); return text"#,
  #"orders.first { $0.id == id }.flatMap { order in order.note.isEmpty ? nil : order.note }"#,
  // Chains over collections.
  #"orders.filter { $0.count > 1 }.sorted { $0.date < $1.date }.map(\.name).joined(separator: ", ")"#,
  #"orders.map(describe)"#,
  #"orders.map(describe(_:)).joined()"#,
  #"orders.reduce(into: [String: Int]()) { counts, order in counts[order.name, default: 0] += 1 }"#,
  #"Dictionary(grouping: orders, by: \.date).mapValues(\.count).sorted { $0.key < $1.key }"#,
  #"orders.enumerated().map { index, order in "\(index + 1). \(order.name)" }"#,
  #"orders.compactMap { Int($0.code) }.reduce(0, +)"#,
  #"orders.contains { $0.name.localizedCaseInsensitiveContains(query) }"#,
  #"selection.isEmpty ? orders.count : selection.count"#,
  #"orders.indices.filter { selection.contains($0) }.map { orders[$0].name }"#,
  #"zip(orders, orders.dropFirst()).allSatisfy { $0.date <= $1.date }"#,
  #"(0..<quantity).map { i in String(i) }"#,
  #"stride(from: 0, to: quantity, by: 2).map { $0 }"#,
  #"ratings.max { $0.value < $1.value }?.key"#,
  #"for (key, value) in ratings where value > 3 { return key }; return nil"#,
  #"var sum = 0.0; for order in orders { sum += order.weight }; return sum"#,
  #"ratings.values.reduce(0, +) / Double(max(ratings.count, 1))"#,
  // Types and their members.
  #"Self.pageSize * 2"#,
  #"OrderViewModel.pageSize"#,
  #"Sorting.allCases.map(\.rawValue.capitalized)"#,
  #"sorting == .name ? Sorting.date.rawValue : sorting.rawValue"#,
  #"Style.plain.margin + style.margin"#,
  #"Constants.maximum - attempts"#,
  #"Self.clean(query)"#,
  #"Order.empty.name"#,
  #"item.title.uppercased()"#,
  #"kind.icon"#,
  #"Color.red.opacity(0.5)"#,
  #"[GridItem(.flexible()), GridItem(.fixed(20))]"#,
  #""Cell""#,
  #"42"#,
  #"CGSize(width: size.width / 2, height: .zero)"#,
  #"hypot(size.width, size.height).rounded()"#,
  #"Double.pi * pow(Double(quantity), 2)"#,
  #"UIColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 1)"#,
  // The system.
  #"FileManager.default.temporaryDirectory.appending(path: query)"#,
  #"Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String ?? """#,
  #"ProcessInfo.processInfo.environment["DEBUG"] != nil"#,
  #"query.firstMatch(of: pattern) != nil"#,
  #"query.range(of: "[0-9]+", options: .regularExpression) != nil"#,
  #"(try? NSRegularExpression(pattern: "x"))?.numberOfMatches(in: query, range: NSRange()) ?? 0"#,
  #"URLComponents(url: url!, resolvingAgainstBaseURL: false)?.queryItems?.first?.value"#,
  #"type(of: self) == OrderViewModel.self"#,
  #"String(describing: type(of: self))"#,
  #"ObjectIdentifier(self).hashValue"#,
  #"{ [weak self] in self?.query ?? "" }()"#,
  #"let helper = { (text: String) in text + query }; return helper("x")"#,
  #"func double(_ n: Int) -> Int { n * 2 }; return double(quantity)"#,
  #"#if DEBUG\#nreturn query\#n#else\#nreturn name ?? ""\#n#endif"#,
  #"withUnsafeBytes(of: quantity) { $0.count }"#,
  #"query.isEmpty || query.allSatisfy(\.isNumber) && Int(query) != nil"#,
  #"MainActor.assumeIsolated { query }"#,
  #"DispatchQueue.main.sync { query }"#,
  #"errno == 0 ? kCFCoreFoundationVersionNumber : 0"#,
  #"[query, name].compactMap(\.self).joined()"#,
  #"(first: query, second: quantity).second"#,
  #"query.split(separator: " ").map(String.init).map { $0.capitalized }"#,
]
