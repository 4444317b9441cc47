import BenchmarkSupport
import Foundation
import HandWrittenSystem
import KeyPathSystem
import KeyValueSystem
import ObservationSystem
import OpenCombineSystem
import PlainSystem

/// Runs every workload with every system, and prints the comparison.
@main
struct Compare {
  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      let conditions = Conditions()
      let runner = Runner(quick: options.quick)
      let results = try run(options, runner)
      print((options.details ? results.details : results.overview).text)
      let conditionsText = conditions.text(runner, options)
      print("\n\(conditionsText) \(Conditions.advice)")
      if options.gnustep == nil { print("GNUstep is not installed; it was skipped.") }
      if let file = options.jsonFile {
        try JSONReport(results: results, conditions: conditionsText).write(to: file)
      }
      for measurement in results.failed {
        complain(
          "WRONG: \(measurement.workload.name), \(measurement.system): \(measurement.problem ?? "")"
        )
      }
      exit(results.failed.isEmpty ? 0 : 1)
    } catch let problem as Options.Problem {
      complain("\(problem)\n\n\(Options.usage)")
      exit(64)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  static func run(_ options: Options, _ runner: Runner) throws -> Results {
    var contenders =
      keyValueContenders + handWrittenContenders + plainContenders + keyPathContenders
      + openCombineContenders + observationContenders
    if let program = options.gnustep { contenders += try GNUstepProgram.contenders(program) }
    var results = Results()
    for workload in Workload.all
    where options.groups.isEmpty || options.groups.contains(workload.group) {
      complain("\(workload.name) …")
      let taking = contenders.filter { $0.workload.name == workload.name }
      results.append(runner.run(workload, taking))
      if workload.name == Workload.observers(100).name {
        results.derivePerObserver(few: 10, many: 100)
      }
    }
    return results
  }

  /// Progress and errors go to standard error; standard output is the table.
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
