import KeyValueObserving
import KeyValueTestSupport

/// A construct that is written to be notified, and what comes of it.
///
/// The code is shown on the page *Nothing is called: why?*; each piece of it stands in the row's
/// file, where it is compiled and run. `…` stands for what the page leaves out.
struct SilenceRow {
  let title: String
  let code: String
  let file: String
  /// Registers as a user would, and makes the change.
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

/// What observers are told while a row runs; it keeps the tokens that the row hands over.
final class Witness {
  private(set) var lines: [String] = []
  private var kept: [Any] = []

  /// Keeps a token, a binding or a controller until the row has ended.
  func keep(_ tokens: Any...) { kept += tokens }

  /// A change handler.
  func heard<Root, Value>(_ object: Root, _ change: KeyValueObservedChange<Value>) {
    note("\(change)")
  }

  /// Takes down a change, a value or the result of an operation.
  func note(_ line: String) { lines.append(line) }

  /// Leaves out what was told at registration.
  func forget() { lines = [] }

  func end() { kept = [] }
}

extension SilenceRow {
  /// What comes of the row, each answer behind its kind.
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
      // The page leaves the file and the line out, which differ with each edit of the rows.
      let words = all.replacing(/[ ]The observation began at Silence\w*\.swift:\d+\.$/, with: "")
      answers.append(kind == "tolerated" ? "report: \(words)" : "violation: \(words)")
    }
    // Where a row is answered, what it was told besides is told too.
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
