import LedgerFields
import LedgerModel

// These only change the model. Their output comes from observing the model: see ChangeReport.
extension Command {
  static let add = Command(
    "add AMOUNT CATEGORY [NOTE]", "adds a transaction, and the category if it is new",
    arguments: 2...(.max), isUndoable: true
  ) { session, arguments in
    let document = session.document
    try document.history.transaction {
      try document.account.addTransaction(
        amount: Amount.cents(arguments[0]), categoryName: arguments[1],
        note: arguments.dropFirst(2).joined(separator: " "))
    }
  }

  static let edit = Command(
    "edit ID [FIELD TEXT]", "edits a transaction: its amount, category or note",
    arguments: 1...(.max), isUndoable: true
  ) { session, arguments in
    try session.edit(EditForm(session.transaction(arguments[0])), arguments.dropFirst())
  }

  static let remove = Command(
    "remove ID", "removes a transaction", arguments: 1...1, isUndoable: true
  ) { session, arguments in
    session.document.account.remove(try session.transaction(arguments[0]))
  }

  static let category = Command(
    "category NAME [FIELD TEXT | remove]",
    "creates a category, edits its name or budget, or removes it",
    arguments: 1...(.max), isUndoable: true
  ) { session, arguments in
    let account = session.document.account
    let rest = arguments.dropFirst()
    guard let category = account.category(named: arguments[0]) else {
      guard rest.isEmpty else { throw LedgerError.unknownCategory(arguments[0]) }
      try account.addCategory(named: arguments[0])
      return
    }
    if Array(rest) == ["remove"] {
      session.document.history.transaction { account.remove(category) }
    } else {
      try session.edit(EditForm(category), rest)
    }
  }

  static let form = Command(
    "form", "shows the fields of what is being edited", arguments: 0...0
  ) { session, _ in
    guard let form = session.form, form.isOpen else { throw CommandError.noForm }
    session.show(form)
  }
}

extension LedgerSession {
  fileprivate func transaction(_ text: String) throws -> Transaction {
    try document.account.transaction(numbered: text)
  }

  /// Types a text into a field of a form; without a field, shows the form.
  fileprivate func edit(_ form: EditForm, _ arguments: ArraySlice<String>) throws {
    self.form = form
    guard let label = arguments.first else { return show(form) }
    guard let field = form.field(label) else {
      throw CommandError.unknownField(label, known: form.fields.map(\.label))
    }
    guard arguments.count > 1 else { throw CommandError.noText(label) }
    field.text = arguments.dropFirst().joined(separator: " ")
    if let problem = field.problem { throw CommandError.notTaken(problem) }
  }
}
