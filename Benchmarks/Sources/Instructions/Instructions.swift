import BenchmarkSupport
import KeyValueSystem

/// Runs operations of one workload and nothing else, for a tool that counts instructions.
///
/// `instructions` lists the workloads; `instructions "W7 …" 1000` does 1,000 operations of one. The
/// count of two runs, one of them with twice as many operations, differs by what the operations cost.
@main
struct Instructions {
  static let groups: Set = ["W1", "W1r", "W2", "W3", "W4", "W5", "W6", "W7"]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let contenders = keyValueContenders.filter { groups.contains($0.workload.group) }
    guard let name = arguments.first, let count = arguments.dropFirst().first.flatMap(Int.init)
    else {
      for contender in contenders { print("\(contender.workload.name)\t\(contender.system)") }
      return
    }
    let system = arguments.dropFirst(2).first ?? System.keyValue
    guard
      let contender = contenders.first(where: {
        $0.workload.name == name && $0.system == system
      })
    else { fatalError("there is no workload '\(name)' of \(system)") }
    let reading = try contender.prepare()(count)
    let expected = contender.workload.expected(count)
    precondition(
      reading.notifications == expected.notifications && reading.checksum == expected.checksum,
      "\(name): expected \(expected), heard \(reading.notifications) and \(reading.checksum)")
  }
}
