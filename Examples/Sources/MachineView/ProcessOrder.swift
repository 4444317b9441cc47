/// The order of the table's rows.
package enum ProcessOrder: String, CaseIterable, Sendable {
  case cpu, memory, pid, command

  /// The highest use first, ids and names ascending; equal ones by id.
  func areInOrder(_ first: ProcessRow, _ second: ProcessRow) -> Bool {
    switch self {
    case .cpu where first.cpuFraction != second.cpuFraction:
      first.cpuFraction > second.cpuFraction
    case .memory where first.residentBytes != second.residentBytes:
      (first.residentBytes ?? -1) > (second.residentBytes ?? -1)
    case .command where first.command != second.command:
      first.command < second.command
    default:
      first.pid < second.pid
    }
  }

  /// The key that chooses this order on a terminal.
  package var key: Character {
    switch self {
    case .cpu: "c"
    case .memory: "m"
    case .pid: "p"
    case .command: "n"
    }
  }
}
