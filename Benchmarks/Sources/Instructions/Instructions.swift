import BenchmarkSupport
import HandWrittenSystem
import KeyValueSystem
import PlainSystem

/// Runs operations of one workload and nothing else, for a tool that counts instructions.
///
/// `instructions` lists this library's workloads and `instructions --others` those of the compared
/// systems, each with the number of operations to count; `instructions NAME 1000` runs 1,000 operations of
/// one, and `instructions --verify 1` runs that number of each, times one, and checks the notifications.
/// Checking is separate, because its cost grows with the number of operations.
@main
struct Instructions {
  /// W10 counts bytes; the instructions of W13 vary, because its threads wait for each other.
  private static let uncounted: Set = ["W10", "W13"]
  private static let own = keyValueContenders.filter(isCounted)
  private static let others = (handWrittenContenders + plainContenders).filter(isCounted)

  private static func isCounted(_ contender: Contender) -> Bool {
    !uncounted.contains(contender.workload.group) && contender.workload.counted > 0
  }

  static func main() throws {
    let contenders = own + others
    let arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.first, first != "--others" else {
      for contender in arguments.isEmpty ? own : others {
        print("\(name(contender))\t\(contender.workload.counted)")
      }
      return
    }
    guard let count = arguments.dropFirst().first.flatMap(Int.init) else {
      fatalError("usage: instructions [NAME | --verify | --others] COUNT")
    }
    if first == "--verify" {
      for contender in contenders { try verify(contender, count * contender.workload.counted) }
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
