import KvoLedgerCommand

@main
enum Program {
  static func main() async { await LedgerCommand.main() }
}
