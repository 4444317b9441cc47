import KeyValueObserving

/// A computer, as far as it is watched.
///
/// The sampler sets the stored properties. What can be worked out from them is a computed property:
/// the macro reads in the getter what it depends on, so an observer of `memoryUsedFraction` hears of
/// it when `memoryAvailable` is set. What can be worked out from all processes together, such as
/// their number, is no property at all: who wants it observes `processes.@count`.
@KeyValueObservable
package final class Machine {
  package var hostName = ""
  /// Seconds since the machine started.
  package var uptime = 0.0

  /// Processes that ran or waited to run, averaged over 1, 5 and 15 minutes.
  package var loadAverage1 = 0.0
  package var loadAverage5 = 0.0
  package var loadAverage15 = 0.0

  /// One value, because observers of `cpuFraction` must not see new busy ticks of an old total.
  package var cpuUsage = CPUUsage(busy: 0, total: 0)

  // All sizes are in bytes.
  package var memoryTotal = 0
  package var memoryAvailable = 0
  package var swapTotal = 0
  package var swapFree = 0

  /// In ascending order of their ids.
  ///
  /// Changed through a proxy, which says where processes started and ended.
  package var processes: [ProcessEntry] = []

  /// Counts the samples; set last, when everything else is in place.
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
