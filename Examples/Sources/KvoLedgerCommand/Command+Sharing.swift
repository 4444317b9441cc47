extension Command {
  static let offline = Command(
    "offline", "cuts this program off, to see what happens", arguments: 0...0
  ) { session, _ in session.document.shared?.isOffline = true }

  static let online = Command(
    "online", "lets it reach the ledger again", arguments: 0...0
  ) { session, _ in session.document.shared?.isOffline = false }
}
