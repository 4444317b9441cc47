import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Helpers that are called with fewer arguments than they have parameters")
struct DefaultedArgumentsTests {
  @Test(
    "D1 a parameter without a default is followed, whatever defaults and closures stand beside it",
    arguments: [
      InferenceCase("title(of: account)", "account.owner"),
      InferenceCase("title(of: account, short: flag)", "flag", "account.owner"),
      InferenceCase("title(of:short:)(account, flag)", "flag", "account.owner"),
      InferenceCase("Self.label(account)", "account.owner"),
      InferenceCase("total(account!, other!)", "account.balance", "other.balance"),
      InferenceCase("total()", []),
      InferenceCase("employees.map { name($0) }", "employees.name"),
      InferenceCase("sum(employees) { $0 }", "employees.salary"),
      InferenceCase("sum(employees, { $0 })", "employees.salary"),
      InferenceCase("both(account) { 1 }", "account.balance"),
      InferenceCase("both(account) { 1 } then: { 2 }", "account.balance"),
      InferenceCase(
        "func local(_ a: Account?, short: Bool = false) -> Any { a?.owner }; return local(account)",
        "account.owner"),
    ])
  func followed(_ example: InferenceCase) {
    let found = inferred(example.getter, members: members)
    #expect(found.paths == example.paths)
    #expect(found.untraced.isEmpty)
  }

  @Test(
    "D1 the arguments decide which of several methods a call means",
    arguments: [
      InferenceCase("price(of: account)", "account.tag"),
      InferenceCase("price(of: account, in: index)", "account.rate", "index"),
      InferenceCase(
        "price(of: account, in: index, rounded: flag)", "account.rate", "index", "flag"),
      InferenceCase("rank(account, other)", "account.place", "other.place"),
      InferenceCase("rank(account, other, partner)", "account.age", "other.age", "partner.age"),
    ])
  func overloads(_ example: InferenceCase) {
    let found = inferred(example.getter, members: members)
    #expect(Set(found.paths) == Set(example.paths))
    #expect(found.untraced.isEmpty)
  }

  @Test(
    "L3 a call with arguments that no visible method takes is reported",
    arguments: [
      ("price(on: account)", "price(…)"), ("self.price()", "price()"),
      ("Self.label(of: account)", "Self.label(…)"), ("both(account) { 1 } last: { 2 }", "both(…)"),
      ("func local(_ a: Account?) -> Any { 1 }; return local(a: account)", "local(…)"),
    ])
  func unknown(_ getter: String, _ call: String) {
    let found = inferred(getter, members: members)
    let calls = found.untraced.map { if case .call(let call) = $0.use { call } else { "?" } }
    #expect(calls == [call])
  }

  @Test("D1 what another object's method reads of its arguments is read of the caller's values")
  func ofAnotherObject() {
    let source = """
      @KeyValueObservable
      class Person {
        var rate = 1
        var account: Account?
        var parent: Person?
        var friend: Person?
        let guide: Person
        func worth(of account: Account?, with other: Person?, exact: Bool = true) -> Int {
          (account?.balance ?? 0) * rate + (other?.rate ?? 0) + (other?.share(of: account) ?? 0)
        }
        func share(of account: Account?) -> Int { account?.share ?? 0 }
        func chosen(_ other: Person) -> Person { rate > 1 ? other : self }
        var result: Int { parent!.worth(of: account, with: friend) }
        var name: String { parent!.chosen(guide).name }
      }
      """
    #expect(
      Set(inferredPaths(of: "result", in: source)) == [
        "parent", "account.balance", "parent.rate", "friend.rate", "friend", "account.share",
      ])
    #expect(
      Set(inferredPaths(of: "name", in: source)) == [
        "parent", "parent.rate", "guide.name", "parent.name",
      ])
    #expect(warnings(on: source) == [])
  }

  private let members = """
    func title(of account: Account?, short: Bool = false) -> Any { account?.owner }
    static func label(_ account: Account?, _ separator: String = ", ") -> Any { account?.owner }
    func total(_ accounts: Account...) -> Int { accounts.reduce(0) { $0 + $1.balance } }
    func name(_ e: Employee, short: Bool = false) -> String { e.name }
    func sum(_ list: [Employee], _ round: (Int) -> Int) -> Int {
      list.reduce(0) { $0 + round($1.salary) }
    }
    func both(
      _ account: Account?, short: Bool = false, first: () -> Int = { 1 }, then: () -> Int = { 1 }
    ) -> Int { account?.balance }
    func price(of account: Account?) -> Any { account?.tag }
    func price(of account: Account?, in place: Int, rounded: Bool = true) -> Any { account?.rate }
    func rank(_ a: Account?, _ b: Account?) -> Any { a?.place == b?.place }
    func rank(_ accounts: Account?...) -> Any { accounts.map { $0?.age } }
    """
}
