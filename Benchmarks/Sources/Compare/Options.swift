import BenchmarkSupport

/// The command line's options.
struct Options {
  var quick = false
  var details = false
  var jsonFile: String?
  var groups: Set<String> = []
  var gnustep: String?

  static let usage = """
    usage: Benchmarks/compare [--quick] [--only W2,W3] [--details] [--json FILE] [--charts]
           Benchmarks/compare --redraw

      --quick       shorter samples and fewer objects: under two minutes
      --only LIST   only these workloads, W1 to W26 and W1r, separated by commas
      --details     a line for each system, with minima, maxima and all ratios
      --json FILE   also writes the results there
      --charts      also keeps the results and draws the documentation's charts of them
      --redraw      draws the charts of the results that are kept, without a run

    """

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var rest = arguments.makeIterator()
    func value(of option: String) throws -> String {
      guard let value = rest.next() else { throw Problem(description: "\(option) needs a value") }
      return value
    }
    while let argument = rest.next() {
      switch argument {
      case "--quick": quick = true
      case "--details": details = true
      case "--json": jsonFile = try value(of: argument)
      case "--only":
        for group in try value(of: argument).split(separator: ",").map(String.init) {
          guard Workload.all.contains(where: { $0.group == group }) else {
            throw Problem(description: "there is no workload \(group)")
          }
          groups.insert(group)
        }
      case "--gnustep": gnustep = try value(of: argument)
      default: throw Problem(description: "unknown argument \(argument)")
      }
    }
  }
}
