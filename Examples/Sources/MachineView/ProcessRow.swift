import Following
import KeyValueObserving
import MachineModel
import TerminalSupport

/// A process as a row of the table, with texts that change only with their keys.
final class ProcessRow {
  let pid: Int32
  private(set) var command = ""
  private(set) var cpuFraction = 0.0
  private(set) var residentBytes: Int?

  private var stateText = ""
  private var userText = ""
  private var cpuText = ""
  private var residentText = ""
  /// Whether a text was updated since the last `takeRedrawn`.
  private var isRedrawn = true
  private var observations: Set<KeyValueObservation> = []

  init(of entry: ProcessEntry) {
    pid = entry.pid
    // The row owns the observations; none can outlive `self`.
    show(entry.kvo.command) { [unowned self] in command = $0.harmless }
    show(entry.kvo.state) { [unowned self] in stateText = $0.harmless }
    show(entry.kvo.user) { [unowned self] in userText = $0.harmless }
    show(entry.kvo.cpuFraction) { [unowned self] in
      cpuFraction = $0
      cpuText = NumberText.percent($0)
    }
    show(entry.kvo.residentBytes) { [unowned self] in
      residentBytes = $0
      residentText = $0.map(NumberText.bytes) ?? "?"
    }
  }

  private func show<Value>(
    _ path: KeyValueBoundPath<ProcessEntry, Value>, line: UInt = #line,
    make: @escaping (Value) -> Void
  ) {
    path.follow(line: line) { [unowned self] in
      make($0)
      isRedrawn = true
    }
    .store(in: &observations)
  }

  /// Whether a text was updated since the last call.
  func takeRedrawn() -> Bool {
    defer { isRedrawn = false }
    return isRedrawn
  }

  static let columns = [
    TableColumn("PID", width: 7, alignment: .right, importance: 6),
    TableColumn("USER", width: 8, alignment: .left, importance: 2),
    TableColumn("S", width: 1, alignment: .left, importance: 3),
    TableColumn("CPU%", width: 6, alignment: .right, importance: 5),
    TableColumn("MEM%", width: 5, alignment: .right, importance: 1),
    TableColumn("RES", width: 6, alignment: .right, importance: 4),
    TableColumn("COMMAND", width: 12, alignment: .left, importance: 7),
  ]

  /// One text for each column.
  func cells(memoryTotal: Int) -> [String] {
    let memoryText = residentBytes.map { NumberText.percent($0.fraction(of: memoryTotal)) }
    return [
      String(pid), userText, stateText, cpuText, memoryText ?? "?", residentText, command,
    ]
  }
}

extension Int {
  /// 0 if the whole is 0.
  func fraction(of whole: Int) -> Double { whole > 0 ? Double(self) / Double(whole) : 0 }
}
