#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A proc file system, usually at `/proc`.
///
/// Processes start and end during reading, and this user may not read some files. Neither is an
/// error: an ended process is omitted, an unreadable field is nil.
package struct ProcFileSystem: Sendable {
  package let root: String
  private let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))

  package init(root: String = "/proc") { self.root = root }

  /// Reads everything once.
  ///
  /// - Throws: `ProcUnavailable` if `root` isn't a folder with processes.
  package func sample() throws(ProcUnavailable) -> MachineSample {
    var sample = MachineSample()
    for pid in try processIDs() {
      if let process = process(pid) { sample.processes.append(process) }
    }
    sample.hostName = text(of: "sys/kernel/hostname").flatMap(firstWord)
    sample.uptime = text(of: "uptime").flatMap(firstWord).flatMap { Double($0) }
    sample.loadAverages = text(of: "loadavg").flatMap { LoadAverages($0) }
    sample.cpuTimes = text(of: "stat").flatMap { CPUTimes($0) }
    sample.memory = text(of: "meminfo").map { MemoryInfo($0) }
    return sample
  }

  private func processIDs() throws(ProcUnavailable) -> [Int32] {
    let names: [String]
    do {
      names = try namesInFolder(root)
    } catch {
      throw ProcUnavailable(root: root, reason: String(cString: strerror(error.code)))
    }
    let ids = names.compactMap { Int32($0) }.filter { $0 > 0 }
    guard !ids.isEmpty else {
      throw ProcUnavailable(root: root, reason: "There is no process in it")
    }
    return ids.sorted()
  }

  /// Nil if the process has ended.
  private func process(_ pid: Int32) -> ProcessSample? {
    var process = ProcessSample(pid: pid)
    do {
      // The owner of a process's folder is its effective user.
      process.effectiveUserID = try ownerOfFile("\(root)/\(pid)")
      if let stat = ProcessStat(try readFile("\(root)/\(pid)/stat")) {
        process.command = stat.command
        process.state = stat.state
        process.cpuTicks = stat.cpuTicks
        process.startTicks = stat.startTicks
        process.residentBytes = product(stat.residentPages, pageSize)
      }
    } catch {
      if error.meansVanished { return nil }
    }
    return process
  }

  private func text(of name: String) -> [UInt8]? { try? readFile("\(root)/\(name)") }

  private func firstWord(_ text: [UInt8]) -> String? {
    String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
      .map(String.init)
  }
}

/// There is no proc file system where one was expected.
package struct ProcUnavailable: Error, Equatable, CustomStringConvertible {
  package let root: String
  package let reason: String

  package var description: String {
    """
    cannot read processes from \(root): \(reason).
    kvo-top needs Linux's proc file system. It is at /proc on every Linux, also in \
    containers, unless they were started without it; other systems do not have one.
    """
  }
}
