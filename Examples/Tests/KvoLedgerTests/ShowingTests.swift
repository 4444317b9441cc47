import KvoLedgerCommand
import Testing

@Suite("Commands that show")
struct ShowingTests {
  private let ledger = Ledger()

  @Test("list and totals print tables")
  func tables() {
    ledger.run(
      """
      add 12.50 groceries milk
      add 900 rent
      add 3 "" "a gift"
      category groceries budget 12
      category rent budget 1000
      """)
    #expect(
      ledger.run("list\nlist rent\nlist \"\"\nlist fun\ntotals") == """
        id amount category  note
         1  12.50 groceries milk
         2 900.00 rent
         3   3.00 -         a gift
        id amount category note
         2 900.00 rent
        id amount category note
         3   3.00 -        a gift
        error: there is no category 'fun'; 'category fun' creates one
        category   spent  budget   left
        groceries  12.50   12.00  -0.50
        rent      900.00 1000.00 100.00
        -           3.00       -      -
        total     915.50
        average   305.16
        """)
    #expect(
      Ledger().run("list\ntotals") == """
        id amount category note
        category spent budget left
        total     0.00
        """)
  }

  @Test("Control characters are printed as question marks")
  func harmless() {
    #expect(
      ledger.run("add 1 \"\" \u{1B}[2Jhello") == """
        + transaction 1: 1.00 "?[2Jhello"
          total: 0.00 -> 1.00
        """)
  }

  @Test("help lists every command")
  func help() {
    #expect(
      ledger.run("help") == """
        add AMOUNT CATEGORY [NOTE]          adds a transaction, and the category if it is new
        edit ID [FIELD TEXT]                edits a transaction: its amount, category or note
        remove ID                           removes a transaction
        category NAME [FIELD TEXT | remove] creates a category, edits its name or budget, or removes it
        form                                shows the fields of what is being edited
        list [CATEGORY]                     lists the transactions
        totals                              shows what was spent, and what is left of the budgets
        undo                                undoes the last command that changed something
        redo                                redoes the last undone command
        open FILE                           opens a ledger, or creates one if the file does not exist
        save [FILE]                         saves, to a new file if one is named
        help                                shows this
        quit                                ends the program
        """)
  }

  @Test("An invalid line is an error that states the problem")
  func errors() {
    ledger.run("add 1 food")
    #expect(
      ledger.run(
        """
        # a remark
           \t
        foo
        add 5
        undo now
        edit 1 colour red
        edit 1 note
        add 5 "food
        """) == """
          error: there is no command 'foo'; 'help' lists them
          error: usage: add AMOUNT CATEGORY [NOTE]
          error: usage: undo
          error: there is no field 'colour'; the fields are amount, category, note
          error: 'note' needs a text; use "" for an empty one
          error: a quote is not closed
          """)
  }

  @Test("Quotes group words, and a backslash escapes a character")
  func quotes() {
    ledger.run(#"add 1 "eating out" say \"hi\" "" "to  all" C:\\"#)
    #expect(ledger.account.transactions.map(\.note) == [#"say "hi"  to  all C:\"#])
    #expect(ledger.account.categories.map(\.name) == ["eating out"])
  }
}
