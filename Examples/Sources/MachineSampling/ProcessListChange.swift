import MachineModel
import ProcFiles

/// What happened to a list of processes between two samples: the one place that compares them.
struct ProcessListChange {
  /// Where another process has the id now, and which one.
  private(set) var replaced: [(index: Int, process: ProcessSample)] = []
  /// Where processes ended, in the list as it was.
  private(set) var removed = RangeSet<Int>()
  /// Where processes started, in the list as it is going to be.
  private(set) var inserted = RangeSet<Int>()
  /// The processes that started, in ascending order of their ids.
  private(set) var started: [ProcessSample] = []
  /// The processes that went on, with what is known of them now.
  private(set) var kept: [(entry: ProcessEntry, process: ProcessSample)] = []

  /// - Parameters:
  ///   - entries: In ascending order of their ids.
  ///   - processes: In ascending order of their ids.
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
