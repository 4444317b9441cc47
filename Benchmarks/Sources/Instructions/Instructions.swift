import BenchmarkSupport
import HandWrittenSystem
import KeyValueSystem
import PlainSystem

/// Runs operations of one workload and nothing else, for a tool that counts instructions.
///
/// `instructions` lists this library's workloads and `instructions --others` those of the compared
/// systems; `instructions NAME 1000` runs 1,000 operations of one, and `instructions --verify 1000`
/// runs as many of each and checks the notifications. Checking is separate, because its cost grows
/// with the number of operations.
/// because it costs the more the more operations there are.
@main
struct Instructions {
  private static let groups: Set = ["W1", "W1r", "W2", "W3", "W4", "W5", "W6", "W7", "W14"]
  /// Workloads of other groups that are counted, too.
  private static let names: Set = [
    Workload.valueForKey.name, Workload.setValueForKey.name,
    Workload.sumElement(ofDoubles: false).name, Workload.sumElement(ofDoubles: true).name,
  ]
  private static let own = keyValueContenders.filter(isCounted)
  private static let others = (handWrittenContenders + plainContenders).filter(isCounted)

  private static func isCounted(_ contender: Contender) -> Bool {
    groups.contains(contender.workload.group) || names.contains(contender.workload.name)
  }

  static func main() throws {
    let contenders = own + others
    let arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.first, first != "--others" else {
      for contender in arguments.isEmpty ? own : others { print(name(contender)) }
      return
    }
    guard let count = arguments.dropFirst().first.flatMap(Int.init) else {
      fatalError("usage: instructions [NAME | --verify | --others] COUNT")
    }
    if first == "--verify" {
      for contender in contenders { try verify(contender, count) }
      return
    }
    guard let contender = contenders.first(where: { name($0) == first }) else {
      fatalError("there is no workload '\(first)'")
    }
    _ = try contender.prepare()(count)
  }

  /// The workload's name, with the spelling if there are several.
  private static func name(_ contender: Contender) -> String {
    contender.system == System.keyValue
      ? contender.workload.name : "\(contender.workload.name) (\(contender.system))"
  }

  private static func verify(_ contender: Contender, _ count: Int) throws {
    let reading = try contender.prepare()(count)
    let heard = Workload.Expectation(
      notifications: reading.notifications, checksum: reading.checksum)
    let expected = contender.workload.expected(count)
    precondition(heard == expected, "\(name(contender)): expected \(expected), heard \(heard)")
  }
}
