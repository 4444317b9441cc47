import KeyValueObserving
import MachineModel

/// Compares what observers are told of a machine's processes with what the model says.
///
/// An aggregate that is observed is kept up to date by what changes in a process or in the list; here
/// each is worked out anew from all processes, whenever one is told and after each sample.
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

  /// How many values have been compared.
  package var comparisonCount: Int { all.reduce(0) { $0 + $1.comparisonCount } }

  /// - Throws: `VerificationFailure`, if anything was told since the last call that was not so, or not
  ///   told that was.
  package func verify() throws {
    let failures = all.compactMap { $0.verify() }
    if !failures.isEmpty { throw VerificationFailure(sample: machine.sampleNumber, failures) }
  }

  private var all: [any Verifiable] { [list] + aggregates }
}

/// What observers were told and was not so.
package struct VerificationFailure: Error, CustomStringConvertible {
  package let description: String

  init(sample: Int, _ failures: [String]) {
    description = "verification failed in sample \(sample): \(failures.joined(separator: "; "))"
  }
}

/// Something that is observed and can be worked out anew.
protocol Verifiable: AnyObject {
  var comparisonCount: Int { get }
  /// The first thing found wrong up to now, if there is any.
  func verify() -> String?
}
