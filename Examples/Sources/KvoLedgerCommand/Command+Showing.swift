import LedgerFields
import LedgerModel
import TerminalSupport

extension Command {
  static let list = Command(
    "list [CATEGORY]", "lists the transactions", arguments: 0...1
  ) { session, arguments in
    let account = session.document.account
    var transactions = Array(zip(account.numbers, account.transactions))
    if let name = arguments.first {
      let category = account.category(named: name)
      guard category != nil || name.isEmpty else { throw LedgerError.unknownCategory(name) }
      transactions = transactions.filter { $0.1.category === category }
    }
    let rows = transactions.map {
      [$0, Amount.text($1.amount), $1.category?.name ?? "-", $1.note]
    }
    session.show(rows, titles: ["id", "amount", "category", "note"], numbers: [0, 1])
  }

  static let totals = Command(
    "totals", "shows what was spent, and what is left of the budgets", arguments: 0...0
  ) { session, _ in
    let account = session.document.account
    var rows = account.categories.map { category in
      [
        category.name, Amount.text(category.total), category.budget.map(Amount.text) ?? "-",
        category.remaining.map(Amount.text) ?? "-",
      ]
    }
    let rest = account.uncategorized
    if rest != 0 { rows.append(["-", Amount.text(rest), "-", "-"]) }
    rows.append(["total", Amount.text(account.total), "", ""])
    if let average = account.average { rows.append(["average", Amount.text(average), "", ""]) }
    session.show(rows, titles: ["category", "spent", "budget", "left"], numbers: [1, 2, 3])
  }

  static let help = Command("help", "shows this", arguments: 0...0) { session, _ in
    session.show(session.commands.map { [$0.usage, $0.summary] })
  }
}

extension LedgerSession {
  func show(_ form: EditForm) {
    print(form.title)
    show(form.fields.map { ["  " + $0.label, $0.text, $0.problem.map { "! " + $0 } ?? ""] })
  }

  /// Prints a table; each column is as wide as its content, and those in `numbers` are
  /// right-aligned.
  func show(_ rows: [[String]], titles: [String] = [], numbers: Set<Int> = []) {
    let lines = (titles.isEmpty ? [] : [titles]) + rows
    let columns = (lines.first ?? []).indices.map { index in
      TableColumn(
        "", width: lines.map { $0[index].columnCount }.max() ?? 0,
        alignment: numbers.contains(index) ? .right : .left, importance: 1)
    }
    let layout = TableLayout(columns: columns, lineWidth: nil)
    for var line in lines {
      // The layout leaves the last column as it is.
      if let last = columns.indices.last, numbers.contains(last) {
        line[last] = line[last].fitted(columns: columns[last].width, alignment: .right)
      }
      print(layout.line(line))
    }
  }
}
