/// The work of all processors together between two samples, in clock ticks.
package struct CPUUsage: Equatable, Sendable, CustomStringConvertible {
  package var busy: Int
  package var total: Int

  package init(busy: Int, total: Int) {
    self.busy = busy
    self.total = total
  }

  package var description: String { "\(busy) of \(total) ticks" }
}
