import KeyValueObserving

/// A process of a machine, from its start to its end.
///
/// The system reuses the id of an ended process. The new process is another entry.
@KeyValueObservable
package final class ProcessEntry {
  package let pid: Int32
  /// Its start, in clock ticks since the machine started; nil if that can't be read.
  package let startTicks: Int?

  package var command: String
  /// The kernel's letter for it: `R` runs, `S` sleeps, `D` waits for a device, `Z` has ended.
  package var state: String
  package var user: String
  /// The fraction of one processor that it used between the last two samples; several threads can
  /// use more than one.
  package var cpuFraction = 0.0
  /// Nil if it cannot be read.
  package var residentBytes: Int?

  package init(pid: Int32, startTicks: Int?, command: String, state: String, user: String) {
    self.pid = pid
    self.startTicks = startTicks
    self.command = command
    self.state = state
    self.user = user
  }

  /// 1 while it runs, otherwise 0: the sum over processes is the number of running ones.
  package var runningCount: Int { state == "R" ? 1 : 0 }
}

extension ProcessEntry: CustomStringConvertible {
  package var description: String { "\(pid) \(command)" }
}
