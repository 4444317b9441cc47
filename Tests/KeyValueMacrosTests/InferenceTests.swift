import SwiftParser
import SwiftSyntax
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// A getter, and the key paths that it reads.
struct InferenceCase: CustomTestStringConvertible {
  let getter: String
  let paths: [String]

  init(_ getter: String, _ paths: String...) {
    self.getter = getter
    self.paths = paths
  }

  var testDescription: String { getter }
}

/// The dependencies inferred for the getter `result` of a class with these members.
func inferred(
  _ getter: String, members: String = "", inherits: String = ""
) -> DependencyInference.Result {
  let source = """
    class Company\(inherits) {
      var first = ""
      var last = ""
      var flag = false
      var index = 0
      var account: Account?
      var other: Account?
      var employees: [Employee] = []
      var team: Team
      var names: [String] = []
      var table: [String: Employee] = [:]
      let fixed = 1
      let partner: Account
      weak let keeper: Account?
      unowned let warden: Account
      @KeyValueIgnored var cache: [String: Int] = [:]
      static var shared = Company()
      var upper: String { first.uppercased() }
      var format: (String) -> String
      \(members)
      var result: Any { \(getter) }
    }
    """
  let file = Parser.parse(source: source)
  let declaration = file.statements.first!.item.cast(ClassDeclSyntax.self)
  let model = ObservableClass(declaration)
  return DependencyInference(model: model).dependencies(of: model.property("result")!)
}

@Suite("Dependencies inferred from a getter")
struct InferenceTests {
  @Test(
    "Own properties are inferred",
    arguments: [
      InferenceCase("first", "first"),
      InferenceCase("self.first", "first"),
      InferenceCase("return first", "first"),
      InferenceCase("\"\\(first) \\(last)\"", "first", "last"),
      InferenceCase("\"\\(first, privacy: last)\"", "first", "last"),
      InferenceCase("first + last + first", "first", "last"),
      InferenceCase("flag ? first : last", "flag", "first", "last"),
      InferenceCase("flag && index > 3 || !flag", "flag", "index"),
      InferenceCase("first.uppercased()", "first"),
      InferenceCase("first.count", "first.count"),
      InferenceCase("names[index]", "index", "names"),
      InferenceCase("[first, last]", "first", "last"),
      InferenceCase("[first: last]", "first", "last"),
      InferenceCase("(first, last)", "first", "last"),
      InferenceCase("String(describing: first)", "first"),
      InferenceCase("max(first, last)", "first", "last"),
      InferenceCase("upper", "upper"),
      InferenceCase("format(first)", "format", "first"),
      InferenceCase("fixed + index", "index"),
      InferenceCase("cache[first] ?? 0", "first"),
      InferenceCase("cache[first] = 1; return last", "first", "last"),
      InferenceCase("keeper", "keeper"),
      InferenceCase("keeper?.balance", "keeper.balance"),
      InferenceCase("warden", []),
      InferenceCase("first; last", "first", "last"),
      InferenceCase("first; if flag { last; index }", "first", "flag", "last", "index"),
      InferenceCase("names.map { name in first; last }", "names", "first", "last"),
      InferenceCase("Self.shared", []),
      InferenceCase("Company.shared.first", []),
      InferenceCase("unknown + Unknown.value", []),
      InferenceCase("self[keyPath: \\.first]", "first"),
      InferenceCase("-index", "index"),
      InferenceCase("try? parse(first) as? Int", "first"),
      InferenceCase("{ first }()", "first"),
      InferenceCase("if flag { first } else { last }", "flag", "first", "last"),
      InferenceCase("switch index { case 0: first; default: last }", "index", "first", "last"),
      InferenceCase("index = 3; return first", "first"),
    ])
  func own(_ example: InferenceCase) { check(example) }

  @Test(
    "Chains of members are inferred as key paths",
    arguments: [
      InferenceCase("account?.balance", "account.balance"),
      InferenceCase("account!.owner.name", "account.owner.name"),
      InferenceCase("account?.owner?.name.uppercased()", "account.owner.name"),
      InferenceCase("account?.close()", "account"),
      InferenceCase("(account ?? other)?.balance", "account.balance", "other.balance"),
      InferenceCase(
        "(flag ? account : other)?.balance", "flag", "account.balance", "other.balance"),
      InferenceCase("(account as? Savings)?.rate", "account.rate"),
      InferenceCase("partner.balance", "partner.balance"),
      InferenceCase("partner", []),
      InferenceCase("account == nil ? 0 : account!.balance", "account", "account.balance"),
      InferenceCase("account?[keyPath: \\.balance]", "account.balance"),
      InferenceCase("employees[0].name", "employees.name"),
      InferenceCase("employees.first?.name", "employees.name"),
      InferenceCase("employees.count", "employees"),
      InferenceCase("employees.isEmpty", "employees"),
      InferenceCase("team.count", "team.count"),
      InferenceCase("table[first]?.name", "first", "table.name"),
      InferenceCase("self.account.self?.balance", "account.balance"),
      InferenceCase("account.unsafelyUnwrapped.balance", "account.balance"),
      InferenceCase("team.members.lazy.map(\\.name)", "team.members.name"),
      InferenceCase(
        "[account, other].compactMap { $0?.balance }", "account.balance", "other.balance"),
    ])
  func chains(_ example: InferenceCase) { check(example) }

  @Test(
    "Members of a collection's elements are inferred",
    arguments: [
      InferenceCase("employees.map(\\.salary)", "employees.salary"),
      InferenceCase("employees.map(\\.address.city)", "employees.address.city"),
      InferenceCase("employees.map { $0.salary }", "employees.salary"),
      InferenceCase("employees.map { e in e.salary }", "employees.salary"),
      InferenceCase("employees.map { (e: Employee) in return e.salary }", "employees.salary"),
      InferenceCase("employees.map { _ in 1 }", "employees"),
      InferenceCase("employees.map { [index] in $0.salary * index }", "employees.salary", "index"),
      InferenceCase("employees.map(\\.department).map(\\.name)", "employees.department.name"),
      InferenceCase(
        "employees.filter { $0.isActive }.map(\\.name)", "employees.isActive", "employees.name"),
      InferenceCase("employees.filter(\\.isActive).count", "employees.isActive", "employees"),
      InferenceCase("employees.contains(where: { $0.isActive })", "employees.isActive"),
      InferenceCase("employees.contains { $0 === self }", "employees"),
      InferenceCase(
        "employees.first(where: { $0.isActive })?.name", "employees.isActive", "employees.name"),
      InferenceCase("employees.allSatisfy(\\.isActive)", "employees.isActive"),
      InferenceCase(
        "employees.sorted { $0.age < $1.age }.map(\\.name)", "employees.age", "employees.name"),
      InferenceCase(
        "employees.min(by: { $0.age < $1.age })?.name", "employees.age", "employees.name"),
      InferenceCase("employees.reduce(0) { $0 + $1.salary }", "employees.salary"),
      InferenceCase("employees.reduce(into: 0) { sum, e in sum += e.salary }", "employees.salary"),
      InferenceCase(
        "employees.reduce(index) { sum, e in sum + e.salary }", "index", "employees.salary"),
      InferenceCase("employees.map(\\.salary).reduce(0, +)", "employees.salary"),
      InferenceCase("employees.lazy.map(\\.salary).max() ?? 0", "employees.salary"),
      InferenceCase("employees.reversed().first!.name", "employees.name"),
      InferenceCase("employees.flatMap { $0.reports.map(\\.name) }", "employees.reports.name"),
      InferenceCase("account.map { $0.balance }", "account.balance"),
      InferenceCase("account.flatMap { a in a.owner }?.name", "account.owner.name"),
      InferenceCase("team.members.map(\\.name)", "team.members.name"),
      InferenceCase(
        "team.members.first?.name", "team.members.first.name", "team.members.name"),
      InferenceCase("for e in employees { total += e.salary }; return total", "employees.salary"),
      InferenceCase(
        "for e in employees where e.isActive { _ = e.name }; return 1", "employees.isActive",
        "employees.name"),
      InferenceCase("for _ in employees { n += 1 }; return n", "employees"),
      InferenceCase(
        "for (i, e) in employees.enumerated() { use = e.name }; return 1", "employees.name"),
      InferenceCase("employees.enumerated().map { $0.element.name }", "employees.name"),
      InferenceCase("employees.enumerated().map { i, e in e.name }", "employees.name"),
      InferenceCase("employees.enumerated().map { $1.name }", "employees.name"),
      InferenceCase("employees.map(label)", "employees.name"),
      InferenceCase(
        "employees.map(\\.tags.first?.label)", "employees.tags.first.label", "employees.tags.label"),
      InferenceCase("self[keyPath: \\.employees.first?.name]", "employees.name"),
      InferenceCase(
        "self[keyPath: \\.team.members.last?.name]", "team.members.last.name",
        "team.members.name"),
      InferenceCase("employees.enumerated().map(\\.element.name)", "employees.name"),
      InferenceCase("employees.enumerated().map(\\.offset)", "employees"),
    ])
  func elements(_ example: InferenceCase) {
    check(example, members: "func label(_ e: Employee) -> String { e.name }")
  }

  @Test(
    "An element's member is one of its keys, also where collections have a member of that name",
    arguments: [
      InferenceCase("employees[0].count", "employees.count"),
      InferenceCase("employees[index].first", "index", "employees.first"),
      InferenceCase("employees.first?.count", "employees.count"),
      InferenceCase(
        "employees.first { $0.isActive }?.count", "employees.isActive", "employees.count"),
      InferenceCase("employees.max { $0.age < $1.age }!.count", "employees.age", "employees.count"),
      InferenceCase("employees.randomElement()?.count", "employees.count"),
      InferenceCase("employees.map { $0.count }", "employees.count"),
      InferenceCase("employees.map(\\.count)", "employees.count"),
      InferenceCase(
        "employees.sorted(using: KeyPathComparator(\\.count))", "employees", "employees.count"),
      InferenceCase(
        "employees.filter { $0.isEmpty }.map { $0.count }", "employees.isEmpty", "employees.count"),
      InferenceCase("employees.reduce(0) { $0 + $1.count }", "employees.count"),
      InferenceCase("employees.sorted { $0.count < $1.count }", "employees.count", "employees"),
      InferenceCase("employees.map { $0 }.map { $0.count }", "employees.count"),
      InferenceCase("employees.enumerated().map { $0.element.count }", "employees.count"),
      InferenceCase("employees.enumerated().map { $1.count }", "employees.count"),
      InferenceCase("for e in employees { n += e.count }; return n", "employees.count"),
      InferenceCase(
        "for (i, e) in employees.enumerated() { n += e.count }; return n", "employees.count"),
      InferenceCase(
        "var best: Employee?; for e in employees { best = e }; return best?.count", "employees",
        "employees.count"),
      InferenceCase(
        "var all: [Employee] = []; for e in employees { all.append(e) }; return all[0].count",
        "employees", "employees.count"),
      InferenceCase(
        "Dictionary(grouping: employees) { $0.count }.count", "employees", "employees.count"),
      InferenceCase("named(first)?.count", "employees.name", "first", "employees.count"),
      InferenceCase("zip(employees, employees).map { $0.0.count }", "employees", "employees.count"),
      InferenceCase(
        "for (e, _) in zip(employees, employees) { n += e.count }; return n", "employees",
        "employees.count"),
      InferenceCase("employees.map { ($0, 1) }.map { $0.0.count }", "employees", "employees.count"),
      InferenceCase(
        "Dictionary(uniqueKeysWithValues: employees.map { (1, $0) })[1]?.count", "employees",
        "employees.count"),
      InferenceCase(
        "Dictionary(uniqueKeysWithValues: employees.map { (1, $0) }).values.map { $0.count }",
        "employees", "employees.count"),
      InferenceCase("rows.map { $0.map { $0.count } }", "rows.count"),
      InferenceCase("rows[0][0].count", "rows.count"),
      InferenceCase("rows.joined().map { $0.count }", "rows.count"),
    ])
  func elementsLikeCollections(_ example: InferenceCase) {
    check(
      example,
      members: """
        func named(_ name: String) -> Employee? { employees.first { $0.name == name } }
        var rows: [[Employee]] = []
        """)
  }

  @Test(
    "A collection's own members are no keys of its elements",
    arguments: [
      InferenceCase("employees.filter { $0.isActive }.count", "employees.isActive", "employees"),
      InferenceCase("employees[1...].count", "employees"),
      InferenceCase("employees[0..<index].isEmpty", "index", "employees"),
      InferenceCase("employees.prefix(2).count", "employees"),
      InferenceCase("employees.map { $0 }.count", "employees"),
      InferenceCase("employees.lazy.count", "employees"),
      InferenceCase(
        "employees.chunked { $0.age == $1.age }.map { $0.count }", "employees.age", "employees"),
      InferenceCase("employees.chunks(ofCount: 2).map { $0.count }", "employees"),
      InferenceCase(
        "Dictionary(grouping: employees) { $0.age }.mapValues { $0.count }", "employees",
        "employees.age"),
      InferenceCase(
        "var all: [Employee] = []; for e in employees { all.append(e) }; return all.count",
        "employees"),
      InferenceCase("zip(employees, others).map { $0.0 }.count", "employees", "others"),
      InferenceCase("zip(employees, others).count", "employees", "others"),
      InferenceCase("employees.map { ($0, $0) }.count", "employees"),
      InferenceCase("(employees, others).0.count", "employees", "others"),
      InferenceCase(
        "Dictionary(uniqueKeysWithValues: employees.map { (1, $0) }).values.count", "employees"),
      InferenceCase(
        "Dictionary(grouping: employees) { $0.age }.values.map { $0.count }", "employees",
        "employees.age"),
      InferenceCase("rows.map { $0.count }", "rows"),
      InferenceCase("rows.map(\\.count)", "rows"),
      InferenceCase("self[keyPath: \\.employees.count]", "employees"),
      InferenceCase("rows[0].isEmpty", "rows"),
      InferenceCase("rows.joined().count", "rows"),
      InferenceCase("lists.map { $0.count }", "lists"),
      InferenceCase("[employees, others].map { $0.count }", "employees", "others"),
      InferenceCase(
        "for list in [employees, others] { n += list.count }; return n", "employees", "others"),
      InferenceCase(
        "[employees, others].max { $0.count < $1.count }!.count", "employees", "others"),
    ])
  func membersOfCollections(_ example: InferenceCase) {
    check(
      example,
      members: """
        var rows: [[Employee]] = []
        var lists: Array<Set<Employee>>? = []
        var others: [Employee] = []
        """)
  }

  @Test(
    "Local variables are followed",
    arguments: [
      InferenceCase("if let account { return account.balance }; return 0", "account.balance"),
      InferenceCase("if let account { return 1 }; return 0", "account"),
      InferenceCase("if let a = account { return a.balance }; return 0", "account.balance"),
      InferenceCase(
        "guard let account else { return 0 }; return account.balance", "account.balance"),
      InferenceCase(
        "guard let a = account, a.isOpen else { return 0 }; return a.balance", "account.isOpen",
        "account.balance"),
      InferenceCase("if let o = account?.owner { return o.name }; return 0", "account.owner.name"),
      InferenceCase("if case let a? = account { return a.balance }; return 0", "account.balance"),
      InferenceCase(
        "if case .some(let a) = account { return a.balance }; return 0", "account.balance"),
      InferenceCase(
        "switch account { case let a?: return a.balance; case nil: return 0 }", "account.balance"),
      InferenceCase(
        "switch account { case let s as Savings: return s.rate; default: return 0 }", "account.rate"
      ),
      InferenceCase("switch account { case nil: return 0; default: return 1 }", "account"),
      InferenceCase(
        "switch (account, other) { case let (a?, b?): a.balance + b.balance; default: 0 }",
        "account", "other", "account.balance", "other.balance"),
      InferenceCase(
        "if case let (a?, b?) = (account, other) { return a.balance + b.balance }; return 0",
        "account", "other", "account.balance", "other.balance"),
      InferenceCase(
        "if case (let a?, _) = (account, index) { return a.balance }; return 0", "account",
        "index", "account.balance", "index.balance"),
      InferenceCase("if case (let a?) = account { return a.balance }; return 0", "account.balance"),
      InferenceCase(
        "for case let (_, e?) in employees.enumerated() { print(e.name) }; return 0",
        "employees.name"),
      InferenceCase("let a = account; return a?.balance", "account.balance"),
      InferenceCase("let a = account; return 1", "account"),
      InferenceCase("let (a, b) = (account, other); return a?.balance", "other", "account.balance"),
      InferenceCase("let first = 1; return first", []),
      InferenceCase("let first = last; return first", "last"),
      InferenceCase("let first = last; return self.first", "last", "first"),
      InferenceCase("do { let first = 1; _ = first }; return first", "first"),
      InferenceCase("names.map { first in first + last }", "names", "last"),
      InferenceCase("for first in 0..<3 { _ = first }; return last", "last"),
      InferenceCase("func f(_ first: Int) -> Int { first }; return f(1)", []),
      InferenceCase("func f() -> String { first }; return f()", "first"),
      InferenceCase(
        "func f(_ a: Account?) -> Int { a?.balance ?? 0 }; return f(account)", "account.balance"),
      InferenceCase(
        "let a = account; func f() -> Int { a?.balance ?? 0 }; "
          + "do { let a = other; _ = a; return f() }", "other", "account.balance"),
      InferenceCase(
        "func f() -> Int { g() }; func g() -> Int { index }; if flag { let g = 1; _ = g; f() }",
        "flag", "index"),
      InferenceCase("let f = { first }; return f()", "first"),
      InferenceCase("var x: Int { index }; return x", "index"),
      InferenceCase(
        "while index > 0 { break }; repeat { _ = last } while flag; return 1", "index", "last",
        "flag"),
      InferenceCase("do { try g(first) } catch { _ = error }; return last", "first", "last"),
      InferenceCase("defer { _ = first }; return last", "first", "last"),
      InferenceCase(
        "{ [weak self] in guard let self else { return nil }; return self.first }()", "first"),
    ])
  func locals(_ example: InferenceCase) { check(example) }

  @Test(
    "Methods of the class are followed",
    arguments: [
      InferenceCase("describe()", "first", "last"),
      InferenceCase("self.describe()", "first", "last"),
      InferenceCase("balance(of: account)", "account.balance"),
      InferenceCase("current()?.balance", "account.balance"),
      InferenceCase("recursive(3)", "index"),
      InferenceCase("let last = 1; return describe() + \"\\(last)\"", "first", "last"),
      InferenceCase("mark(3)", "index", "first.count"),
      InferenceCase("names.map(mark)", "names", "index", "first.count"),
      InferenceCase("mark(of: account)", "account.balance"),
      InferenceCase("Self.sign(account)", "account.sign", "account.name"),
    ])
  func methods(_ example: InferenceCase) {
    check(
      example,
      members: """
        func describe() -> String { "\\(first) \\(suffix())" }
        private func suffix() -> String { last }
        func balance(of account: Account?) -> Int { account?.balance ?? 0 }
        func current() -> Account? { account }
        func recursive(_ n: Int) -> Int { n == 0 ? index : recursive(n - 1) }
        func mark(_ n: Int) -> Int { index }
        func mark(_ s: String) -> Int { first.count }
        func mark(of account: Account?) -> Int { account?.balance ?? 0 }
        static func sign(_ account: Account?) -> Int { account?.sign ?? 0 }
        static func sign(_ account: Account?) -> String { account?.name ?? "" }
        """)
  }

  @Test(
    "D1 a read of a property's wrapper or projected value is a read of the property",
    arguments: [
      InferenceCase("$page", "page"), InferenceCase("_page.limit", "page"),
      InferenceCase("self.$page.count + index", "page", "index"),
      InferenceCase("$page.next()", "page"), InferenceCase("{ $page }()", "page"),
      InferenceCase("let p = $page; return p", "page"), InferenceCase("$index", []),
      InferenceCase("$hidden", []),
    ])
  func wrappers(_ example: InferenceCase) {
    let members = """
      @NotifiesManually @Wrapped var page = 1
      @KeyValueIgnored @Wrapped var hidden = 1
      """
    check(example, members: members)
    let found = inferred(example.getter, members: members)
    #expect(found.untraced.isEmpty)
    #expect(found.unnotified.isEmpty)
  }

  @Test("Methods that call each other twice are followed once")
  func manyCalls() {
    let methods = (0..<40).map { "func m\($0)() -> Int { m\($0 + 1)() + m\($0 + 1)() }" }
    let members = methods.joined(separator: "\n") + "\nfunc m40() -> Int { index }"
    #expect(inferred("m0()", members: members).paths == ["index"])
    let given = (0..<40).map { n in
      "func m\(n)(_ a: Account?) -> Int { m\(n + 1)(a) + m\(n + 1)(a) }"
    }
    let last = "\nfunc m40(_ a: Account?) -> Int { (a?.balance ?? 0) + index }"
    let paths = inferred("m0(account) + m0(other)", members: given.joined(separator: "\n") + last)
      .paths
    #expect(paths == ["account.balance", "index", "other.balance"])
  }

  @Test("A property that reads its own key, through super or in a cycle, isn't its own dependency")
  func ownKey() {
    #expect(inferred("super.result", inherits: ": Base").paths == [])
    #expect(inferred("account?.result", inherits: "").paths == ["account.result"])
  }

  @Test("In a class that may inherit, unknown names are candidates unless they're called")
  func inherited() {
    #expect(inferred("title + first", inherits: ": Base").paths == ["title", "first"])
    #expect(inferred("super.title", inherits: ": Base").paths == ["title"])
    #expect(inferred("owner?.name", inherits: ": Base").paths == ["owner.name"])
    #expect(inferred("Title.self", inherits: ": Base").paths == [])
    #expect(inferred("shared", inherits: ": Base").paths == [])
    #expect(inferred("wealth()", inherits: ": Base").paths == [])
  }

  @Test("An inherited key may have the name of a global function, and a bare name may be the key")
  func inheritedGlobals() {
    for name in ["time", "max", "sequence", "log", "os"] {
      let found = inferred("self.\(name)", inherits: ": Base")
      #expect(found.paths == [name] && found.untraced.isEmpty, "\(found)")
      #expect(inferred("super.\(name)", inherits: ": Base").paths == [name])
      #expect(inferred(name, inherits: ": Base").paths == [name])
      // Without a superclass, a bare name is the function.
      let bare = inferred(name)
      #expect(bare.paths == [] && bare.untraced.isEmpty, "\(bare)")
      #expect(inferred("self.\(name)").untraced.count == 1)
    }
    #expect(inferred("max(index, 3)", inherits: ": Base").paths == ["index"])
    #expect(inferred("team[keyPath: \\.max]", inherits: ": Base").paths == ["team.max"])
  }

  @Test("Cases under #if are followed")
  func conditionalCases() {
    let getter = """
      switch account {
      case nil: return first
      #if DEBUG
      case let a? where a.isOpen: return a.balance
      #else
      case let b?: return b.owner
      #endif
      default: return last
      }
      """
    #expect(
      inferred(getter).paths
        == ["account.isOpen", "first", "account.balance", "account.owner", "last"])
  }

  @Test("A subscript's parameters are its own names, and a recursive subscript is followed once")
  func subscripts() {
    let members = """
      subscript(place: Int) -> String { place < names.count ? names[place] : first }
      subscript(from start: Int) -> Int { start == 0 ? index : self[from: start - 1] }
      """
    let found = inferred("self[1]", members: members)
    #expect(found.paths == ["names", "first", "index"])
    #expect(found.untraced.isEmpty, "\(found)")
  }

  @Test("A member of super isn't the class's own method, even in an override of that member")
  func superMethods() {
    let members = """
      override func describe() -> String { super.describe() + "\\(index)" }
      override func total(_ n: Int) -> Int { index + n }
      subscript(n: Int) -> Int { index }
      """
    for (getter, paths, call) in [
      ("describe()", ["index"], "super.describe()"),
      ("super.total(flag ? 1 : 2)", ["flag"], "super.total(…)"),
      ("names.map(super.describe)", ["names"], "super.describe"),
      ("super[1]", [], "super[…]"),
    ] {
      let found = inferred(getter, members: members, inherits: ": Base")
      let calls = found.untraced.map { if case .call(let call) = $0.use { call } else { "?" } }
      #expect(found.paths == paths && calls == [call], "\(getter): \(found)")
    }
    #expect(inferred("self.total(1)", members: members, inherits: ": Base").untraced.isEmpty)
  }

  @Test(
    "Reads of concatenated, zipped, chosen or copied collections are reads of each collection",
    arguments: [
      InferenceCase(
        "(employees + team.members).reduce(0) { $0 + $1.salary }", "employees", "team.members",
        "employees.salary", "team.members.salary"),
      InferenceCase(
        "let all = employees + team.members; return all.map(\\.salary)", "employees",
        "team.members",
        "employees.salary", "team.members.salary"),
      InferenceCase("(employees + []).first?.salary", "employees", "employees.salary"),
      InferenceCase("Array(employees).map(\\.salary)", "employees", "employees.salary"),
      InferenceCase("Set<Employee>(employees).map(\\.salary)", "employees", "employees.salary"),
      InferenceCase("[Employee](employees)[0].salary", "employees", "employees.salary"),
      InferenceCase(
        "ContiguousArray(employees.sorted { $0.name < $1.name }).first?.salary",
        "employees.name", "employees", "employees.salary"),
      InferenceCase(
        "Swift.max(account!, other!).balance", "account", "other", "account.balance",
        "other.balance"),
      InferenceCase("min(first, last).count", "first", "last", "first.count", "last.count"),
      InferenceCase(
        "zip(employees, team.members).map { $0.salary + $1.bonus }", "employees", "team.members",
        "employees.salary", "team.members.salary", "employees.bonus", "team.members.bonus"),
      InferenceCase(
        "Array(zip(employees, names)).reduce(0) { $0 + $1.0.salary }", "employees", "names",
        "employees.salary", "names.salary"),
      InferenceCase(
        "for (employee, _) in zip(employees, names) { print(employee.salary) }; return 0",
        "employees", "names", "employees.salary", "names.salary"),
      InferenceCase(
        "Array(employees.enumerated()).map { $1.salary * $0 }", "employees", "employees.salary"),
      InferenceCase("(0..<index).map { $0.description }", "index"),
      InferenceCase("(first == last).description", "first", "last"),
    ])
  func passing(_ example: InferenceCase) { check(example) }

  @Test(
    "Code that can't be followed is reported by name",
    arguments: [
      ("wealth()", "call wealth()"),
      ("self.wealth(index)", "call wealth(…)"),
      ("super.wealth()", "call super.wealth()"),
      ("self.title", "member title"),
      ("Report(self)", "self to Report"),
      ("reporter.make(self)", "member reporter"),
      ("self[3]", "call self[…]"),
      ("employees.map { wealth($0) }", "call wealth(…)"),
    ])
  func untraced(getter: String, expected: String) {
    let found = inferred(getter).untraced.map { untraced in
      switch untraced.use {
      case .call(let name): "call \(name)"
      case .member(let name): "member \(name)"
      case .inherited(let name): "inherited \(name)"
      case .passesSelf(let receiver): "self to \(receiver)"
      case .sharedObject(let object): "object \(object)"
      }
    }
    #expect(found == [expected])
  }

  @Test(
    "Code that is known to read nothing isn't reported",
    arguments: [
      "max(index, 3)", "type(of: self)", "ObjectIdentifier(self)", "print(first)", "String(index)",
      "employees.contains { $0 === self }", "first.hasPrefix(last)", "index.formatted(.number)",
      "Date.now.timeIntervalSince1970", "zip(names, names).map { $0 + $1 }", "format(first)",
    ])
  func notBlind(getter: String) {
    #expect(inferred(getter).untraced.isEmpty)
  }

  private func check(
    _ example: InferenceCase, members: String = "",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    #expect(
      inferred(example.getter, members: members).paths == example.paths,
      sourceLocation: sourceLocation)
  }
}

extension InferenceCase {
  /// A getter that reads nothing.
  init(_ getter: String, _ none: [String]) {
    self.getter = getter
    paths = none
  }
}
