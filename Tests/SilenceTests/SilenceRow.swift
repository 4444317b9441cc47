import KeyValueObserving
import KeyValueTestSupport

/// A construct that is meant to notify observers, and its outcome.
///
/// The page *Nothing is called: why?* shows the code. Each piece of it occurs in the row's file, where
/// it's compiled and run; `…` stands for code that the page omits.
struct SilenceRow {
  let title: String
  let code: String
  let file: String
  /// Registers as a user would, then makes the change.
  let run: (Witness) async throws -> Void

  init(
    _ title: String, _ code: String, file: String = #filePath,
    run: @escaping (Witness) async throws -> Void
  ) {
    self.title = title
    self.code = code
    self.file = file
    self.run = run
  }
}

/// Records what observers receive while a row runs, and keeps the row's tokens alive.
final class Witness {
  private(set) var lines: [String] = []
  private var kept: [Any] = []

  /// Keeps a token, a binding or a controller until the row ends.
  func keep(_ tokens: Any...) { kept += tokens }

  /// A change handler that records the change.
  func heard<Root, Value>(_ object: Root, _ change: KeyValueObservedChange<Value>) {
    note("\(change)")
  }

  /// Records a change, a value or the result of an operation.
  func note(_ line: String) { lines.append(line) }

  /// Discards what was recorded at registration.
  func forget() { lines = [] }

  func end() { kept = [] }
}

extension SilenceRow {
  /// The outcomes of the row, each with its kind.
  func outcome(_ violations: ViolationLog) async -> [String] {
    let witness = Witness()
    var answers: [String] = []
    do {
      try await run(witness)
    } catch {
      answers.append("throws: \(error)")
    }
    witness.end()
    for said in violations.take() {
      let (kind, all) = said.split(at: ": ")
      // The page omits the file and the line, which differ after each edit of the rows.
      let words = all.replacing(
        /[ ](The observation began|It was registered) at Silence\w*\.swift:\d+\.$/, with: "")
      answers.append(kind == "tolerated" ? "report: \(words)" : "violation: \(words)")
    }
    // A row can both notify observers and report a violation.
    if !witness.lines.isEmpty {
      answers.insert("told: " + witness.lines.joined(separator: "; "), at: 0)
    }
    return answers
  }
}

extension String {
  fileprivate func split(at separator: String) -> (String, String) {
    guard let range = firstRange(of: separator) else { return (self, "") }
    return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
  }
}
