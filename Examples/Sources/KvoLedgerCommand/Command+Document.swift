extension Command {
  static let undo = Command(
    "undo", "undoes the last command that changed something", arguments: 0...0
  ) { session, _ in
    guard let lines = try session.document.history.undo() else {
      return session.print("nothing to undo")
    }
    for line in lines { session.print(line) }
  }

  static let redo = Command(
    "redo", "redoes the last undone command", arguments: 0...0
  ) { session, _ in
    guard let lines = try session.document.history.redo() else {
      return session.print("nothing to redo")
    }
    for line in lines { session.print(line) }
  }

  static let open = Command(
    "open FILE", "opens a ledger, or creates one if the file does not exist",
    arguments: 1...1
  ) { session, arguments in
    try session.checkSaved()
    try session.open(arguments[0])
  }

  static let save = Command(
    "save [FILE]", "saves, to a new file if one is named", arguments: 0...1
  ) { session, arguments in
    let document = session.document
    let saved = try document.save(to: arguments.first)
    session.print("\(document.path ?? ""): \(saved)")
  }

  static let quit = Command("quit", "ends the program", arguments: 0...0) { session, _ in
    try session.checkSaved()
    session.end()
  }
}
