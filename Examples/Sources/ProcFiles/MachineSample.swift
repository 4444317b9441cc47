/// The readings of a machine at one moment.
///
/// Unreadable fields are nil.
package struct MachineSample: Equatable {
  package var hostName: String?
  /// Seconds since the machine started.
  package var uptime: Double?
  package var loadAverages: LoadAverages?
  package var cpuTimes: CPUTimes?
  package var memory: MemoryInfo?
  /// In ascending order of their ids.
  package var processes: [ProcessSample] = []

  package init() {}
}

/// The readings of a process.
///
/// Unreadable fields are nil.
package struct ProcessSample: Equatable {
  package var pid: Int32
  package var command: String?
  package var state: String?
  package var cpuTicks: Int?
  package var startTicks: Int?
  package var residentBytes: Int?
  package var effectiveUserID: UInt32?

  package init(pid: Int32) { self.pid = pid }
}
