import MachineModel
import ProcFiles

/// The changes of a process list between two samples; only this type compares them.
struct ProcessListChange {
  /// The indexes of ids that another process now has, with that process.
  private(set) var replaced: [(index: Int, process: ProcessSample)] = []
  /// The indexes of ended processes, in the old list.
  private(set) var removed = RangeSet<Int>()
  /// The indexes of started processes, in the new list.
  private(set) var inserted = RangeSet<Int>()
  /// The started processes, in ascending order of their ids.
  private(set) var started: [ProcessSample] = []
  /// The surviving processes, with their new values.
  private(set) var kept: [(entry: ProcessEntry, process: ProcessSample)] = []

  /// Compares a list with a sample; both are in ascending order of the ids.
  init(from entries: [ProcessEntry], to processes: [ProcessSample]) {
    var old = entries.startIndex
    for (index, process) in processes.enumerated() {
      while old < entries.endIndex, entries[old].pid < process.pid {
        removed.insert(old, within: entries)
        old += 1
      }
      guard old < entries.endIndex, entries[old].pid == process.pid else {
        inserted.insert(index, within: processes)
        started.append(process)
        continue
      }
      if entries[old].isSameProcess(as: process) {
        kept.append((entries[old], process))
      } else {
        replaced.append((old, process))
      }
      old += 1
    }
    for index in old..<entries.endIndex { removed.insert(index, within: entries) }
  }
}

extension ProcessEntry {
  fileprivate func isSameProcess(as process: ProcessSample) -> Bool {
    guard let startTicks, let other = process.startTicks else { return true }
    return startTicks == other
  }
}
