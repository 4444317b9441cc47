/// The options of the command line.
struct FuzzOptions {
  var minutes: Double?
  var programs: Int?
  var seed: UInt64?
  /// The number of steps in a program.
  var operations = 60
  var isVerbose = false
  var checksLeaks = false
  var hasLogs = false

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = """
    usage: kvo-fuzz [--logs] [--minutes M] [--programs N] [--seed S] [--operations K] [--verbose]
           kvo-fuzz --leaks [--programs N]

      --minutes M      go on for so long
      --programs N     or for so many programs; 1000 where neither is given
      --seed S         begin with this seed; alone, run that one program
      --operations K   steps of a program, 60 where not given
      --logs           log the programs' graphs, and send the records to other graphs
      --verbose        print every seed before it runs
      --leaks          instead, observe and release N objects, and add and remove N
                       observations (1,000,000), and count what is left
    """

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    func value<Value: LosslessStringConvertible>(_ name: String) throws -> Value {
      guard let text = rest.popFirst(), let value = Value(text) else {
        throw UsageError(description: "\(name) needs a value.\n\(FuzzOptions.usage)")
      }
      return value
    }
    while let name = rest.popFirst() {
      switch name {
      case "--minutes": minutes = try value(name)
      case "--programs": programs = try value(name)
      case "--seed": seed = try value(name)
      case "--operations": operations = try value(name)
      case "--verbose": isVerbose = true
      case "--logs": hasLogs = true
      case "--leaks": checksLeaks = true
      default: throw UsageError(description: FuzzOptions.usage)
      }
    }
  }
}
