import FindingSupport
import KeyValueObserving
import MachineModel
import MachineSampling
import MachineVerification
import MachineView
import ProcFiles
import Testing

@Suite("Findings")
struct FindingTests {
  /// A sample of this many processes, which have worked for this long.
  private func sample(_ processes: Range<Int32>, uptime: Double) -> MachineSample {
    var sample = MachineSample()
    sample.hostName = "host"
    sample.uptime = uptime
    sample.processes = processes.map { pid in
      var process = ProcessSample(pid: pid)
      process.command = "process \(pid)"
      process.state = "S"
      process.startTicks = Int(pid)
      process.cpuTicks = Int(pid) * Int(uptime)
      process.residentBytes = Int(pid) * 4096
      return process
    }
    return sample
  }

  @Test("A run with all observers has no red finding, and names the lines that register")
  func run() throws {
    let machine = Machine()
    let sampler = MachineSampler(of: machine)
    var parts: [AnyObject] = []
    let trace = try KeyValueTrace.recording {
      parts.append(try ChangeLog(of: machine) { _ in })
      parts.append(MachineVerifier(of: machine))
      parts.append(MachineView(of: machine, order: .cpu, limit: nil) { _ in })
      sampler.apply(sample(1..<60, uptime: 100))
      sampler.apply(sample(1..<64, uptime: 101))
      sampler.apply(sample(5..<64, uptime: 102))
    }
    #expect(trace.redFindings == [])
    // A row registers on five lines, not on one of the function that the rows share.
    let rows = trace.events.filter {
      $0.kind == .registered && $0.place?.fileID == "MachineView/ProcessRow.swift"
    }
    #expect(Set(rows.map(\.place?.line)).count == 5)
    #expect(rows.count == 5 * 63)
    #expect(!trace.events.contains { $0.place?.fileID.hasPrefix("Following/") == true })
    withExtendedLifetime(parts) {}
  }
}
