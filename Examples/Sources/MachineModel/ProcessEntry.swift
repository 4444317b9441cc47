import KeyValueObserving

/// A process of a machine, from its start to its end.
///
/// The id of a process that ended is given to another one some day. That one is another entry.
@KeyValueObservable
package final class ProcessEntry {
  package let pid: Int32
  /// When it started, in clock ticks since the machine did; nil if that cannot be read.
  package let startTicks: Int?

  package var command: String
  /// The letter that the kernel gives it: `R` runs, `S` sleeps, `D` waits for a device, `Z` has ended.
  package var state: String
  package var user: String
  /// How much of one processor it used between the last two samples; several threads can use more
  /// than one.
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

  /// 1 while it runs, else 0: the sum over processes is how many of them run.
  package var runningCount: Int { state == "R" ? 1 : 0 }
}

extension ProcessEntry: CustomStringConvertible {
  package var description: String { "\(pid) \(command)" }
}
