import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Dependent keys: where dependencies come from")
struct DependencySourceTests {
  private let log = ChangeLog()

  @Test(
    "D1 every source of dependencies is observed, and returned by the class method",
    arguments: [
      ("inferred", "flour"), ("attributed", "water"), ("byKeyPath", "salt"), ("byName", "yeast"),
      ("byHook", "sugar"),
    ])
  func everySource(key: String, source: String) throws {
    #expect(Recipe.keyPathsForValuesAffectingValue(forKey: key) == [source])
    let recipe = Recipe()
    let token = try recipe.observe(key, changeHandler: log.handler(key))
    for ingredient in ["flour", "water", "salt", "yeast", "sugar"] {
      try recipe.setValue(2, forKey: ingredient)
      #expect(log.take() == (ingredient == source ? ["\(key): setting"] : []))
    }
    token.invalidate()
    #expect(isIdle(recipe))
  }

  @Test("D1 the dependencies of one key from several sources are combined")
  func union() throws {
    #expect(
      Recipe.keyPathsForValuesAffectingValue(forKey: "everything")
        == ["flour", "water", "salt", "yeast", "sugar"])
    let recipe = Recipe()
    let token = recipe.observe(
      \.everything, options: [.old, .new], changeHandler: log.handler("everything"))
    for ingredient in ["flour", "water", "salt", "yeast", "sugar"] {
      try recipe.setValue(2, forKey: ingredient)
    }
    #expect(
      log.take() == (5..<10).map { "everything: setting, old: \($0), new: \($0 + 1)" })
    token.invalidate()
  }

  @Test("D1 a key with automatic notification off has declared sources, but no inferred ones")
  func announcesItself() {
    #expect(Till.keyPathsForValuesAffectingValue(forKey: "balance") == [])
    #expect(Till.keyPathsForValuesAffectingValue(forKey: "declared") == ["coins"])
    #expect(Till.keyPathsForValuesAffectingValue(forKey: "plain") == ["coins"])
    let till = Till()
    let tokens = [
      till.observe(\.balance, options: [.old, .new], changeHandler: log.handler("balance")),
      till.observe(\.declared, options: .new, changeHandler: log.handler("declared")),
    ]
    till.balance = 1
    till.balance = 1
    till.coins = 2
    #expect(
      log.take() == [
        "declared: setting, new: 1", "balance: setting, old: 0, new: 1",
        "declared: setting, new: 2",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(till))
  }

  @Test("D1 a subclass adds to the dependencies of its superclass's key (trap 15)")
  func annotatedSubclass() {
    #expect(
      SpicedRecipe.keyPathsForValuesAffectingValue(forKey: "inferred") == ["flour", "pepper"])
    #expect(
      SpicedRecipe.keyPathsForValuesAffectingValue(forKey: "byHook") == ["sugar", "pepper"])
    #expect(
      SpicedRecipe.keyPathsForValuesAffectingValue(forKey: "attributed") == ["water", "pepper"])
    #expect(Recipe.keyPathsForValuesAffectingValue(forKey: "inferred") == ["flour"])
    #expect(Recipe.keyPathsForValuesAffectingValue(forKey: "attributed") == ["water"])
    let recipe: Recipe = SpicedRecipe()
    let token = recipe.observe(
      \.inferred, options: [.old, .new], changeHandler: log.handler("inferred"))
    recipe.flour = 2
    (recipe as? SpicedRecipe)?.pepper = 5
    #expect(
      log.take() == ["inferred: setting, old: 2, new: 3", "inferred: setting, old: 3, new: 7"])
    token.invalidate()
  }

  @Test("D1 an un-annotated subclass adds sources in the hook, and keeps its superclass's")
  func plainSubclass() throws {
    #expect(
      PlainRecipe.keyPathsForValuesAffectingValue(forKey: "inferred") == ["flour", "salt"])
    #expect(PlainRecipe.keyPathsForValuesAffectingValue(forKey: "byHook") == ["sugar"])
    let recipe = PlainRecipe()
    let token = try recipe.observe(
      "inferred", options: [.old, .new], changeHandler: log.handler("inferred"))
    recipe.flour = 2
    recipe.salt = 3
    #expect(
      log.take() == ["inferred: setting, old: 2, new: 3", "inferred: setting, old: 3, new: 5"])
    token.invalidate()
  }

  @Test("D1 a per-key function is inherited, and can be overridden with a call to super")
  func overriddenFunction() throws {
    #expect(SpicedRecipe.keyPathsForValuesAffectingValue(forKey: "byName") == ["yeast", "pepper"])
    #expect(PlainRecipe.keyPathsForValuesAffectingValue(forKey: "byName") == ["yeast", "water"])
    let recipe = PlainRecipe()
    let token = try recipe.observe("byName", changeHandler: log.handler("byName"))
    recipe.water = 2
    recipe.yeast = 2
    recipe.salt = 2
    #expect(log.take() == ["byName: setting", "byName: setting"])
    token.invalidate()
  }

  @Test("D1 a dependency written as a key path can cross optional relationships")
  func keyPathAttribute() {
    #expect(
      Portfolio.keyPathsForValuesAffectingValue(forKey: "typed")
        == ["person.account.balance", "person.age"])
    let ledger = Portfolio()
    let account = Account()
    let token = ledger.observe(\.typed, changeHandler: log.handler("typed"))
    ledger.person = Person()
    ledger.person?.account = account
    account.balance = 5
    account.interestRate = 1
    ledger.person?.age = 5
    ledger.person?.firstName = "silent"
    ledger.person = nil
    account.balance = 6
    #expect(log.take() == Array(repeating: "typed: setting", count: 5))
    token.invalidate()
    #expect(isIdle(ledger) && isIdle(account))
  }

  @Test("D1 a dependency on a member of a value is a dependency on the property that holds it")
  func valueTypeDependency() {
    let ledger = Portfolio()
    let inferred = ledger.observe(
      \.width, options: .new, changeHandler: log.handler("inferred"))
    let typed = ledger.observe(\.checkedWidth, options: .new, changeHandler: log.handler("checked"))
    ledger.frame.origin.x = 3
    #expect(log.take() == ["inferred: setting, new: 3.0", "checked: setting, new: 3.0"])
    inferred.invalidate()
    typed.invalidate()
    #expect(isIdle(ledger))
  }

  @Test("D5 a dependency on a key that does not exist throws at registration and attaches nothing")
  func unknownDependency() {
    let broken = BrokenPortfolio()
    #expect(
      message { _ = try broken.observe("byHook") { _, _ in } }
        == "BrokenPortfolio has no key 'persn' (component 1 of 'persn.age'). "
        + "Did you mean 'person'?")
    #expect(isIdle(broken))
    #expect(broken.observationInfo.isEmpty)
  }

  @Test("D5 a dependency written as a key path to what is no key throws at registration")
  func unknownKeyPathDependency() {
    let ledger = Ledger()
    #expect(
      message { _ = try ledger.observe("total") { _, _ in } }
        == "Ledger has no key 'opening': PlainLedger, which declares it, lacks @KeyValueObservable."
    )
    #expect(
      message { _ = try ledger.observe("area") { _, _ in } } == "")
    #expect(isIdle(ledger))
  }

  @Test("D5 with a typed path, an unknown dependency is reported to the violation handler")
  func unknownDependencyOfATypedPath() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let broken = BrokenPortfolio()
      _ = broken.observe(\.byHook) { _, _ in }
    }
    try expectTrap(
      result,
      says:
        "BrokenPortfolio has no key 'persn' (component 1 of 'persn.age'). Did you mean 'person'?")
  }

  @Test("D5 an unknown key of an object that appears later is reported; observing continues")
  func unknownDependencyAppearsLater() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      KeyValueViolation.handler = { print("violation: \($0.kind)\n\($0)") }
      let broken = BrokenPortfolio()
      let token = try broken.observe(
        "attributed", options: .new, fileID: "App/Portfolio.swift", line: 7
      ) { print($1) }
      broken.person = Person()
      broken.person = Person()
      broken.person = nil
      token.invalidate()
    }
    var report = ""
    #if DEBUG
      report = """
        violation: tolerated
        Person has no key 'agee' (component 2 of 'person.agee'). Did you mean 'age'? It is accepted, \
        because an object of a subclass of Person may have the key. It was registered at \
        Portfolio.swift:7.

        """
    #endif
    #expect(
      text(result?.standardOutputContent) == report + """
        violation: unobservableValue
        Person has no key 'agee' (component 2 of 'person.agee'). Did you mean 'age'? \
        BrokenPortfolio.attributed, which depends on 'person.agee', does not change with that object. \
        It was registered at Portfolio.swift:7.
        setting, new: 1
        setting, new: 1
        setting, new: 1

        """)
  }
}

/// The guide's manual setter, over a property that notifies automatically.
@KeyValueObservable
private final class Till {
  var coins = 0
  var balance: Int {
    get { coins }
    set {
      guard newValue != coins else { return }
      willChangeValue(forKey: "balance")
      coins = newValue
      didChangeValue(forKey: "balance")
    }
  }
  @DependsOn("coins") var declared: Int { coins }
  var plain: Int { coins }

  class func automaticallyNotifiesObserversOfBalance() -> Bool { false }
  class func automaticallyNotifiesObserversOfDeclared() -> Bool { false }
}

private class PlainLedger {
  var opening = 0
}

/// Depends on a property that a superclass without the macro stores, and on a member of a value.
@KeyValueObservable
private final class Ledger: PlainLedger {
  struct Size {
    var width = 1
  }

  var size = Size()
  @DependsOn(\Ledger.opening) var total: Int { 1 }
  @DependsOn(\Ledger.size.width) var area: Int { 1 }
}
