import FoundationKVO
import Testing

// The bank account, the table's data source and the operators of the guide to key-value coding.

@KeyValueObservable
private class Person: NSObject {
  dynamic var name = ""
  dynamic var age = 0
  dynamic var hidden = true

  override func setNilValueForKey(_ key: String) {
    if key == "age" {
      setValue(0, forKey: "age")
    } else if key == "hidden" {
      setValue(false, forKey: "hidden")
    } else {
      super.setNilValueForKey(key)
    }
  }

  func validateName(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let name = ioValue.pointee as? String, name.count >= 2 else {
      throw CocoaError(.keyValueValidation)
    }
  }

  func validateAge(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let age = ioValue.pointee as? NSNumber else {
      // A nil age becomes 0.
      ioValue.pointee = NSNumber(value: 0)
      return
    }
    if age.floatValue < 0 { throw CocoaError(.keyValueValidation) }
  }
}

@KeyValueObservable
private class Transaction: NSObject {
  dynamic var payee: String
  dynamic var amount: NSNumber
  dynamic var date: Date

  init(_ payee: String, _ amount: Int, _ date: String) {
    self.payee = payee
    self.amount = amount as NSNumber
    let parts = date.split(separator: "-").compactMap { Int($0) }
    self.date = DateComponents(
      calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: parts[0], month: parts[1],
      day: parts[2]
    ).date!
    super.init()
  }
}

@KeyValueObservable
private class BankAccount: NSObject {
  dynamic var currentBalance: NSNumber = 0
  dynamic var owner: Person?
  dynamic var transactions: [Transaction] = []
}

/// The data source of a table.
private class TableSource {
  var people: [Person] = []

  func objectValue(forColumn identifier: String, row: Int) -> Any? {
    people[row].value(forKey: identifier)
  }
}

@Suite("The guide to coding: accounts, tables and operators")
struct GuideCodingTests {
  private let transactions = [
    Transaction("Green Power", 120, "2015-12-01"), Transaction("Green Power", 150, "2016-01-01"),
    Transaction("Green Power", 170, "2016-02-01"), Transaction("Car Loan", 250, "2016-01-15"),
    Transaction("Car Loan", 250, "2016-02-15"), Transaction("Car Loan", 250, "2016-03-15"),
    Transaction("General Cable", 120, "2015-12-01"),
    Transaction("General Cable", 155, "2016-01-01"),
    Transaction("General Cable", 120, "2016-02-01"), Transaction("Mortgage", 1250, "2016-01-15"),
    Transaction("Mortgage", 1250, "2016-02-15"), Transaction("Mortgage", 1250, "2016-03-15"),
    Transaction("Animal Hospital", 600, "2016-07-15"),
  ]

  private let moreTransactions = [
    Transaction("General Cable - Cottage", 120, "2015-12-18"),
    Transaction("General Cable - Cottage", 155, "2016-01-09"),
    Transaction("General Cable - Cottage", 120, "2016-12-01"),
    Transaction("Second Mortgage", 1250, "2016-11-15"),
    Transaction("Second Mortgage", 1250, "2016-09-20"),
    Transaction("Second Mortgage", 1250, "2016-02-12"),
    Transaction("Hobby Shop", 600, "2016-06-14"),
  ]
  private let account = BankAccount()

  init() {
    account.transactions = transactions
  }

  @Test("an attribute is set directly and by key, a relationship's by key path")
  func keys() {
    account.currentBalance = 100
    #expect(account.value(forKey: "currentBalance") as? Double == 100)
    account.setValue(150.5, forKey: "currentBalance")
    #expect(account.currentBalance == 150.5)
    account.owner = Person()
    account.setValue("Ada", forKeyPath: "owner.name")
    #expect(account.value(forKeyPath: "owner.name") as? String == "Ada")
    let values = account.dictionaryWithValues(forKeys: ["currentBalance", "owner"])
    #expect(values["currentBalance"] as? Double == 150.5)
    #expect(values["owner"] as? Person === account.owner)
    account.setValuesForKeys(["currentBalance": 1, "owner": NSNull()])
    #expect(account.currentBalance == 1)
    #expect(account.owner == nil)
  }

  @Test("a table's data source reads a column by its identifier")
  func table() {
    let source = TableSource()
    let (ada, alan) = (Person(), Person())
    (ada.name, ada.age, alan.name, alan.age) = ("Ada", 36, "Alan", 41)
    source.people = [ada, alan]
    let cells = (0..<2).map { row in
      ["name", "age"].map { "\(source.objectValue(forColumn: $0, row: row)!)" }
    }
    #expect(cells == [["Ada", "36"], ["Alan", "41"]])
  }

  @Test("the aggregation operators of the guide's table return its results")
  func aggregation() throws {
    let average = try #require(
      account.value(forKeyPath: "transactions.@avg.amount") as? NSNumber)
    #expect(String(format: "%.2f", average.doubleValue) == "456.54")
    let values = ["@count", "@sum.amount", "@max.amount", "@min.amount"].map {
      "\(account.value(forKeyPath: "transactions.\($0)")!)"
    }
    #expect(values == ["13", "5935", "1250", "120"])
    let dates = ["@max.date", "@min.date"].map {
      (account.value(forKeyPath: "transactions.\($0)") as? Date).map { date in
        date.formatted(.iso8601.year().month().day())
      }
    }
    #expect(dates == ["2016-07-15", "2015-12-01"])
  }

  @Test("array operators and nesting operators return the guide's results")
  func arraysAndNesting() {
    func payees(_ value: Any?) -> [String] { value as? [String] ?? [] }
    let names = transactions.map(\.payee)
    #expect(
      payees(account.value(forKeyPath: "transactions.@distinctUnionOfObjects.payee")).sorted()
        == ["Animal Hospital", "Car Loan", "General Cable", "Green Power", "Mortgage"])
    #expect(payees(account.value(forKeyPath: "transactions.@unionOfObjects.payee")) == names)
    let arrays = NSArray(array: [transactions, moreTransactions])
    #expect(
      payees(arrays.value(forKeyPath: "@distinctUnionOfArrays.payee")).sorted() == [
        "Animal Hospital", "Car Loan", "General Cable", "General Cable - Cottage", "Green Power",
        "Hobby Shop", "Mortgage", "Second Mortgage",
      ])
    #expect(
      payees(arrays.value(forKeyPath: "@unionOfArrays.payee"))
        == names + moreTransactions.map(\.payee))
    let sets = NSSet(array: [NSSet(array: transactions), NSSet(array: moreTransactions)])
    #expect(
      (sets.value(forKeyPath: "@distinctUnionOfSets.payee") as? NSSet)?.count == 8)
  }

  @Test("setting nil for a number calls the class's setNilValueForKey")
  func nilValues() {
    let person = Person()
    (person.age, person.hidden) = (36, true)
    person.setValue(nil, forKey: "age")
    person.setValue(nil, forKey: "hidden")
    #expect(person.age == 0)
    #expect(!person.hidden)
  }

  @Test("a validator accepts a value, rejects it, or replaces it")
  func validation() {
    let person = Person()
    func isValid(_ object: Any?, _ key: String) -> (Bool, AnyObject?) {
      var value = object as AnyObject?
      do {
        try person.validateValue(&value, forKey: key)
        return (true, value)
      } catch {
        return (false, value)
      }
    }
    #expect(isValid("John", "name").0)
    #expect(!isValid("J", "name").0)
    #expect(!isValid(nil, "name").0)
    #expect(isValid(36, "age").0)
    #expect(!isValid(-1, "age").0)
    let replaced = isValid(nil, "age")
    #expect(replaced.0)
    #expect(replaced.1 as? Int == 0)
    // Every value is valid if there is no validator.
    #expect(isValid("yes", "hidden").0)
  }
}
