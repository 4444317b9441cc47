import KeyValueTesting
import LedgerFields
import LedgerModel
import Testing

@Suite("The model", .violationsFail)
struct ModelTests {
  private let account = Account()

  @Test("Dependent keys notify, whether inferred or declared")
  func dependentValues() throws {
    try expectChanges(of: account.kvo.total, account.kvo.average, account.kvo.overspent) {
      try account.addCategory(named: "food")
    } are: {
      change(account.kvo.overspent, old: [], new: [])
    }
    let food = account.categories[0]
    try expectChanges(
      of: account.kvo.total, account.kvo.average, account.kvo.overspent, food.kvo.remaining
    ) {
      food.budget = 1000
      let lunch = try account.addTransaction(amount: 1200, categoryName: "food", note: "lunch")
      lunch.amount = 900
    } are: {
      change(account.kvo.overspent, old: [], new: [])
      change(food.kvo.remaining, old: nil, new: 1000)
      change(account.kvo.overspent, old: [], new: ["food"])
      change(food.kvo.remaining, old: 1000, new: -200)
      change(account.kvo.total, old: 0, new: 1200)
      change(account.kvo.average, old: nil, new: 1200)
      change(account.kvo.total, old: 1200, new: 900)
      change(account.kvo.average, old: 1200, new: 900)
      change(account.kvo.overspent, old: ["food"], new: [])
      change(food.kvo.remaining, old: -200, new: 100)
    }
  }

  @Test("A total through a category follows the category's death")
  func deaths() throws {
    try account.addTransaction(amount: 1, categoryName: "food", note: "")
    let budgets = account.kvo.transactions[sum: \.category.budget]
    expectChanges(of: budgets) {
      account.categories[0].budget = 7
      account.categories = []
    } are: {
      change(budgets, old: 0, new: 7)
      change(budgets, new: 0)
    }
  }

  @Test("A category's transactions are the account's transactions with that category")
  func membership() throws {
    let first = try account.addTransaction(amount: 1, categoryName: "food", note: "")
    let second = try account.addTransaction(amount: 2, categoryName: "rent", note: "")
    let (food, rent) = (account.categories[0], account.categories[1])
    #expect(food.transactions == [first] && rent.transactions == [second])
    second.category = food
    #expect(food.transactions == [first, second] && rent.transactions == [])
    account.remove(first)
    #expect(food.transactions == [second])
    // A transaction without an account isn't in any category's transactions.
    first.category = rent
    #expect(rent.transactions == [])
    account.transactions = [first]
    #expect(food.transactions == [] && rent.transactions == [first])
    #expect([account.total, account.uncategorized, food.total, rent.total] == [1, 0, 0, 1])
  }

  @Test(
    "An amount is parsed, and its text gives the same amount",
    arguments: [
      ("12.50", 1250), ("12.5", 1250), ("12", 1200), ("0.01", 1), (" 7 ", 700), ("-3.20", -320),
      ("-0.05", -5), ("999999999999", 99_999_999_999_900),
    ])
  func amounts(_ text: String, _ cents: Int) throws {
    #expect(try Amount.cents(text) == cents)
    #expect(try Amount.cents(Amount.text(cents)) == cents)
  }

  @Test(
    "Any other text isn't an amount",
    arguments: [
      "", "-", ".", "1.", ".5", "1.234", "1,50", "--1", "+1", "1e3", "0x1", "1 2", "١", "1\u{FE0F}",
      "9999999999999", "1.2.3",
    ])
  func notAmounts(_ text: String) {
    #expect(throws: LedgerError.notAnAmount(text)) { try Amount.cents(text) }
  }

  @Test("Validators check and correct values by key")
  func validation() throws {
    let transaction = try account.addTransaction(amount: 1, categoryName: "food", note: "")
    var value: Any? = -5
    #expect(throws: LedgerError.amountOutOfRange(-5)) {
      try transaction.validateValue(&value, forKey: "amount")
    }
    value = "  two words "
    try transaction.validateValue(&value, forKey: "note")
    #expect(value as? String == "two words")
    value = nil
    try account.categories[0].validateValue(&value, forKey: "budget")
    value = 0
    #expect(throws: LedgerError.amountOutOfRange(0)) {
      try account.categories[0].validateValue(&value, forKey: "budget")
    }
  }
}

@Suite("Edit forms", .violationsFail)
struct EditFormTests {
  private let account = Account()

  @Test("A field shows the value that a validator corrected")
  func validated() throws {
    let transaction = try account.addTransaction(amount: 1, categoryName: "", note: "")
    let form = EditForm(transaction)
    let note = try #require(form.field("note"))
    note.text = "  oats "
    #expect(transaction.note == "oats" && note.text == "oats" && note.problem == nil)
  }

  @Test("A field keeps a rejected text until a valid one is set or the model changes")
  func problems() throws {
    let transaction = try account.addTransaction(amount: 100, categoryName: "", note: "")
    let form = EditForm(transaction)
    let amount = try #require(form.field("amount"))
    amount.text = "much"
    #expect(amount.text == "much" && transaction.amount == 100)
    #expect(amount.problem == "'much' is not an amount; write it like 12.50")
    amount.text = "2"
    #expect(transaction.amount == 200 && amount.problem == nil)
    amount.text = "0"
    #expect(amount.problem == "an amount is from 0.01 to 1000000.00, not 0.00")
    transaction.amount = 300
    #expect(amount.text == "3.00" && amount.problem == nil)
  }

  @Test("Fields and titles follow the category's name, and its removal")
  func title() throws {
    let transaction = try account.addTransaction(amount: 1, categoryName: "food", note: "")
    let category = account.categories[0]
    let (first, second) = (EditForm(transaction), EditForm(category))
    category.name = "meals"
    #expect(first.field("category")?.text == "meals")
    #expect(second.field("name")?.text == "meals" && second.title == "category meals")
    second.field("budget")?.text = "7"
    #expect(category.budget == 700)
    second.field("budget")?.text = ""
    #expect(category.budget == nil)
    account.remove(category)
    #expect(first.field("category")?.text == "" && first.isOpen && !second.isOpen)
  }
}
