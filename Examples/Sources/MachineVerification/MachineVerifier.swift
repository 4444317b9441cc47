import KeyValueObserving
import MachineModel

/// Compares notifications about a machine's processes with the model.
///
/// Changes of a process or of the list keep an observed aggregate up to date. The verifier
/// recomputes each aggregate from all processes, at each notification and after each sample.
package final class MachineVerifier {
  private let machine: Machine
  private let aggregates: [any Verifiable]
  private let list: VerifiedList

  package init(of machine: Machine) {
    self.machine = machine
    list = VerifiedList(of: machine)
    aggregates = [
      VerifiedAggregate(machine.kvo.processes.count, of: machine) { $0.count },
      VerifiedAggregate(machine.kvo.processes[sum: \.runningCount], of: machine) { processes in
        processes.count { $0.state == "R" }
      },
      VerifiedAggregate(machine.kvo.processes[sum: \.residentBytes], of: machine) { processes in
        processes.reduce(0) { $0 + ($1.residentBytes ?? 0) }
      },
      VerifiedAggregate(machine.kvo.processes[maximum: \.cpuFraction], of: machine) { processes in
        processes.map(\.cpuFraction).max()
      },
    ]
  }

  /// The number of compared values.
  package var comparisonCount: Int { all.reduce(0) { $0 + $1.comparisonCount } }

  /// Checks everything since the last call.
  ///
  /// - Throws: `VerificationFailure` if a notification was wrong or missing.
  package func verify() throws {
    let failures = all.compactMap { $0.verify() }
    if !failures.isEmpty { throw VerificationFailure(sample: machine.sampleNumber, failures) }
  }

  private var all: [any Verifiable] { [list] + aggregates }
}

/// A wrong or missing notification.
package struct VerificationFailure: Error, CustomStringConvertible {
  package let description: String

  init(sample: Int, _ failures: [String]) {
    description = "verification failed in sample \(sample): \(failures.joined(separator: "; "))"
  }
}

/// An observed value that can be recomputed.
protocol Verifiable: AnyObject {
  var comparisonCount: Int { get }
  /// The first mistake so far, if any.
  func verify() -> String?
}
