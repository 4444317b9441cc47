import KeyValueObserving

/// A watched computer.
///
/// The sampler sets the stored properties. Values derived from them are computed properties: the
/// macro infers their dependencies from the getter, so setting `memoryAvailable` notifies observers
/// of `memoryUsedFraction`. Values derived from all processes, such as their number, have no
/// property: observe `processes.@count`.
@KeyValueObservable
package final class Machine {
  package var hostName = ""
  /// Seconds since the machine started.
  package var uptime = 0.0

  /// Processes that ran or waited to run, averaged over 1, 5 and 15 minutes.
  package var loadAverage1 = 0.0
  package var loadAverage5 = 0.0
  package var loadAverage15 = 0.0

  /// One value, so observers of `cpuFraction` never see new busy ticks with an old total.
  package var cpuUsage = CPUUsage(busy: 0, total: 0)

  // All sizes are in bytes.
  package var memoryTotal = 0
  package var memoryAvailable = 0
  package var swapTotal = 0
  package var swapFree = 0

  /// In ascending order of their ids.
  ///
  /// It changes through a proxy, which reports the indexes of started and ended processes.
  package var processes: [ProcessEntry] = []

  /// Counts the samples; set last, after all other properties.
  package var sampleNumber = 0

  package init() {}

  package var memoryUsed: Int { max(0, memoryTotal - memoryAvailable) }

  package var memoryUsedFraction: Double {
    memoryTotal > 0 ? Double(memoryUsed) / Double(memoryTotal) : 0
  }

  package var swapUsed: Int { max(0, swapTotal - swapFree) }

  package var cpuFraction: Double {
    let usage = cpuUsage
    return usage.total > 0 ? Double(usage.busy) / Double(usage.total) : 0
  }
}
