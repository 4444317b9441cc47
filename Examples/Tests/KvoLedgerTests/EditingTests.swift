import KeyValueTesting
import KvoLedgerCommand
import Testing

@Suite("Commands that edit", .violationsFail)
struct EditingTests {
  private let ledger = Ledger()

  @Test("A command's output lists the changes that the model reports")
  func add() {
    #expect(
      ledger.run(
        """
        category groceries
        category groceries budget 20
        add 12.50 groceries "oat milk"
        add 900 rent
        edit 1 amount 24
        edit 1 note bread   and butter
        edit 1 category rent
        remove 2
        """) == """
          + category groceries
            groceries budget: none -> 20.00
            groceries: 0.00 -> 12.50
          + transaction 1: 12.50 groceries "oat milk"
            total: 0.00 -> 12.50
          + category rent
            rent: 0.00 -> 900.00
          + transaction 2: 900.00 rent
            total: 12.50 -> 912.50
            total: 912.50 -> 924.00
            over budget: none -> groceries
            groceries: 12.50 -> 24.00
            transaction 1 amount: 12.50 -> 24.00
            transaction 1 note: "oat milk" -> "bread and butter"
            over budget: groceries -> none
            groceries: 24.00 -> 0.00
            rent: 900.00 -> 924.00
            transaction 1 category: groceries -> rent
            rent: 924.00 -> 24.00
          - transaction 2: 900.00 rent
            total: 924.00 -> 24.00
          """)
    #expect(!ledger.session.hasFailed)
  }

  @Test("A command with an invalid value or an unknown name fails and changes nothing")
  func refusals() {
    ledger.run("add 5 food lunch\ncategory rent")
    let contents = ledger.account.contents
    let long = String(repeating: "x", count: 201)
    #expect(
      ledger.run(
        """
        add five food
        add 0 food
        add 1000000.01 food
        add 5 \(long.prefix(41))
        add 5 food \(long)
        edit 1 amount -3
        edit 1 category fod
        edit 1 note \(long)
        category food name rent
        category food name ""
        category food budget 0
        category fod budget 7
        edit 2 amount 7
        remove x
        """) == """
          error: 'five' is not an amount; write it like 12.50
          error: an amount is from 0.01 to 1000000.00, not 0.00
          error: an amount is from 0.01 to 1000000.00, not 1000000.01
          error: a name has at most 40 characters
          error: a note has at most 200 characters
          error: an amount is from 0.01 to 1000000.00, not -3.00
          error: there is no category 'fod'; 'category fod' creates one
          error: a note has at most 200 characters
          error: there is a category 'rent' already
          error: a category needs a name
          error: an amount is from 0.01 to 1000000.00, not 0.00
          error: there is no category 'fod'; 'category fod' creates one
          error: there is no transaction 2
          error: there is no transaction x
          """)
    #expect(ledger.account.contents == contents)
    #expect(ledger.session.hasFailed)
    // None of the failed commands is an undo step.
    #expect(ledger.run("undo") == "- category rent")
  }

  @Test("Each command is undone and redone as one step")
  func undo() {
    ledger.run("add 5 food lunch\nadd 7 rent\nedit 1 amount 6")
    #expect(
      ledger.run("undo\nundo\nundo\nundo") == """
        \u{20} total: 13.00 -> 12.00
          food: 6.00 -> 5.00
          transaction 1 amount: 6.00 -> 5.00
          rent: 7.00 -> 0.00
        - category rent
        - transaction 2: 7.00 rent
          total: 12.00 -> 5.00
          food: 5.00 -> 0.00
        - category food
        - transaction 1: 5.00 food "lunch"
          total: 5.00 -> 0.00
        nothing to undo
        """)
    #expect(
      ledger.run("redo\nredo\nredo\nredo") == """
        + category food
        + transaction 1: 5.00 food "lunch"
          total: 0.00 -> 5.00
        + category rent
        + transaction 2: 7.00 rent
          total: 5.00 -> 12.00
          total: 12.00 -> 13.00
          food: 5.00 -> 6.00
          transaction 1 amount: 5.00 -> 6.00
        nothing to redo
        """)
  }

  @Test("Undoing restores a removed category with its transactions, then their earlier values")
  func removedCategory() {
    ledger.run("add 5 food lunch\nedit 1 amount 6")
    #expect(
      ledger.run("category food remove\nremove 1\nundo\nundo\nundo") == """
        \u{20} food: 6.00 -> 0.00
          transaction 1 category: food -> none
        - category food
        - transaction 1: 6.00 "lunch"
          total: 6.00 -> 0.00
        + transaction 1: 6.00 "lunch"
          total: 0.00 -> 6.00
        + category food
          food: 0.00 -> 6.00
          transaction 1 category: none -> food
          total: 6.00 -> 5.00
          transaction 1 amount: 6.00 -> 5.00
          food: 6.00 -> 5.00
        """)
  }

  @Test("A form's fields follow the model")
  func form() {
    ledger.run("add 5 food lunch")
    #expect(
      ledger.run(
        """
        form
        edit 1 amount 6.5
        form
        edit 1 amount six
        form
        undo
        form
        edit 1
        category food name meals
        edit 1
        undo
        form
        remove 1
        form
        """) == """
          error: nothing is being edited
            total: 5.00 -> 6.50
            food: 5.00 -> 6.50
            transaction 1 amount: 5.00 -> 6.50
          transaction 1
            amount   6.5
            category food
            note     lunch
          error: 'six' is not an amount; write it like 12.50
          transaction 1
            amount   six   ! 'six' is not an amount; write it like 12.50
            category food
            note     lunch
            total: 6.50 -> 5.00
            food: 6.50 -> 5.00
            transaction 1 amount: 6.50 -> 5.00
          transaction 1
            amount   5.00
            category food
            note     lunch
          transaction 1
            amount   5.00
            category food
            note     lunch
            category 1 name: food -> meals
          transaction 1
            amount   5.00
            category meals
            note     lunch
            category 1 name: meals -> food
          transaction 1
            amount   5.00
            category food
            note     lunch
            food: 5.00 -> 0.00
          - transaction 1: 5.00 food "lunch"
            total: 5.00 -> 0.00
          error: nothing is being edited
          """)
  }
}
