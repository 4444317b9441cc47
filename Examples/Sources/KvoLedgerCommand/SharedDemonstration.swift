import Foundation
import KeyValueReplica
import LedgerStorage
import TerminalSupport

/// The session that `--demo` plays with `--shared`: three programs have one ledger open.
///
/// Each one is a process of its own. What they print is read one after the other, up to a line that has to come,
/// so that it's the same each time.
struct SharedDemonstration {
  /// The ledger's name: each demonstration begins with a new one.
  static let document = "demonstration"

  private enum Step {
    case remark(String)
    case open(String)
    /// A program gets a command, and those that are named print up to this line.
    case type(String, String, _ end: String, _ readers: [String])
    /// The ledger gets so many transactions: what a program prints of its own commands may not be sent yet.
    case committed(Int64)
    case kill(String)

    /// On a terminal, in milliseconds.
    var pause: Int {
      switch self {
      case .remark: 1_500
      case .committed: 0
      default: 900
      }
    }
  }

  private static let script: [Step] = [
    .remark("Two programs have one ledger open: what ada types, bob's observers print, too."),
    .open("ada"),
    .open("bob"),
    .type("ada", "add 12.50 food oats", "  total: 0.00 -> 12.50", ["ada", "bob"]),
    .type(
      "bob", "edit 1 note milk", #"  transaction 1 note: "oats" -> "milk""#, ["bob", "ada"]),
    .remark("bob is cut off, and both write the same: the later one learns both values."),
    .type("bob", "offline", "* offline: changes are sent later", ["bob"]),
    .type("bob", "edit 1 note tea", #"  transaction 1 note: "milk" -> "tea""#, ["bob"]),
    .type("ada", "edit 1 note bread", #"  transaction 1 note: "milk" -> "bread""#, ["ada"]),
    .committed(3),
    .type(
      "bob", "online",
      #"* conflict: transaction 1 note: "tea" here, "bread" from ada; yours is taken back"#, ["bob"]
    ),
    .remark("Undoing takes back what was typed here, wherever it has got to."),
    .type("ada", "undo", #"  transaction 1 note: "bread" -> "milk""#, ["ada", "bob"]),
    .remark("ida comes, and is killed as soon as the others have her command."),
    .open("ida"),
    .type("ida", "add 900 rent", "  total: 12.50 -> 912.50", ["ada", "bob"]),
    .kill("ida"),
    .type("bob", "edit 2 note May", #"  transaction 2 note: "" -> "May""#, ["bob", "ada"]),
    .open("ida"),
  ]

  private let place: SharedPlace
  private let text: String
  private let output: OutputFile
  private var programs: [String: LedgerProgram] = [:]

  /// - Parameters:
  ///   - text: The place, as it was typed.
  ///   - output: Where the lines are printed.
  init(at text: String, on output: OutputFile) {
    self.text = text
    place = SharedPlace(text)
    self.output = output
  }

  /// Plays the session.
  ///
  /// - Throws: `DemonstrationError`, or why a program can't be started or the place not be used.
  mutating func play() async throws {
    let store = place.store
    do {
      try await store.delete(Self.document)
    } catch LogError.noDocument {
      // It's the first demonstration at this place.
    }
    store.close()
    let isTerminal = isatty(output.file) == 1
    defer { for program in programs.values { program.end() } }
    for (number, step) in Self.script.enumerated() {
      if isTerminal, number > 0 { try await Task.sleep(for: .milliseconds(step.pause)) }
      try await perform(step, isTerminal)
    }
    try compare()
  }

  private mutating func perform(_ step: Step, _ isTerminal: Bool) async throws {
    switch step {
    case .remark(let remark): show("# " + remark, style: isTerminal ? "33" : nil)
    case .open(let name):
      let program = try LedgerProgram(name, at: text)
      programs[name] = program
      write(name, try program.lines { $0.hasPrefix("\(place.title): ") })
    case .type(let name, let command, let end, let readers):
      show("\(name)> \(command)", style: isTerminal ? "1" : nil)
      programs[name]!.type(command)
      for reader in readers { write(reader, try programs[reader]!.lines { $0 == end }) }
    case .committed(let revision):
      let store = place.store
      defer { store.close() }
      var hints = try await store.hints(of: Self.document).makeAsyncIterator()
      while let document = try await store.document(Self.document),
        document.position.revision < revision, await hints.next() != nil
      {}
    case .kill(let name):
      programs[name]!.kill()
      show("\(name) is killed.", style: isTerminal ? "31" : nil)
    }
  }

  /// Ends the programs, and compares what they list last.
  private mutating func compare() throws {
    let names = programs.keys.sorted()
    for name in names { programs[name]!.type("list\nquit") }
    let lists = try names.map { try programs[$0]!.rest() }
    programs = [:]
    guard Set(lists).count == 1 else { throw DemonstrationError.different(names, lists) }
    for line in lists[0] { show("     " + line) }
    show("This is ada's ledger, bob's and ida's: they are equal.")
  }

  private func write(_ name: String, _ lines: [String]) {
    for line in lines { show("\(name)  \(line)") }
  }

  private func show(_ line: String, style: String? = nil) {
    output.writeLines([style.map { "\u{1B}[\($0)m\(line)\u{1B}[0m" } ?? line])
  }
}

/// Why a demonstration can't go on.
enum DemonstrationError: Error, CustomStringConvertible {
  /// A program has printed this, and ends or is silent.
  case unexpected(String, [String])
  case different([String], [[String]])

  var description: String {
    switch self {
    case .unexpected(let name, let lines):
      "\(name) didn't print what was expected, but:\n" + lines.joined(separator: "\n")
    case .different(let names, let lists):
      "The ledgers are different:\n"
        + zip(names, lists).map { "\($0): " + $1.joined(separator: "\n     ") }
        .joined(separator: "\n")
    }
  }
}

/// This program once more, with a shared ledger.
private final class LedgerProgram {
  private let name: String
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  init(_ name: String, at place: String) throws {
    self.name = name
    process.executableURL = Bundle.main.executableURL
    process.arguments = [
      "--shared", place, "--document", SharedDemonstration.document, "--author", name,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func type(_ command: String) {
    input.fileHandleForWriting.write(Data((command + "\n").utf8))
  }

  /// The lines up to the first one that is the last.
  ///
  /// - Throws: `DemonstrationError` if the program ends before, or prints nothing for two minutes.
  func lines(until isLast: (String) -> Bool) throws -> [String] {
    var lines: [String] = []
    while let line = nextLine() {
      lines.append(line)
      if isLast(line) { return lines }
    }
    throw DemonstrationError.unexpected(name, lines)
  }

  /// The lines up to the program's end.
  func rest() throws -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }

  private func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var waiting = pollfd(
        fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 120_000) > 0 else { return nil }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      unread += data
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Ends it if it hasn't ended.
  func end() {
    try? input.fileHandleForWriting.close()
    if process.isRunning { kill() }
  }
}
