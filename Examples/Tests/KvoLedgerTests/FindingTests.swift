import FindingSupport
import KeyValueObserving
import KvoLedgerCommand
import Testing

@Suite("Findings")
struct FindingTests {
  @Test("The demonstration, and a session of many commands, have no red finding")
  func sessions() throws {
    let file = try TemporaryFile()
    let trace = KeyValueTrace.recording {
      for line in Demonstration.lines { Ledger().run(line) }
      let ledger = Ledger()
      ledger.run(Demonstration.lines.joined(separator: "\n"))
      for number in 1...30 { ledger.run("add \(number) food \"meal \(number)\"") }
      for number in 3...20 { ledger.run("edit \(number) amount \(number * 2)") }
      for _ in 1...10 { ledger.run("undo") }
      ledger.run("save \(file.path)")
      let opened = Ledger()
      opened.run("open \(file.path)\nedit 5 amount 7\ntotals\nsave")
      let database = Ledger(format: .database)
      database.run("open \(file.path).sqlite\nadd 5 food\nsave\nedit 1 amount 7\nsave")
    }
    #expect(trace.events.count > 1_000)
    #expect(trace.redFindings == [])
  }
}
