/// Why a command failed, unless the model or the file reports it.
package enum CommandError: Error, Equatable, CustomStringConvertible {
  case unknownCommand(String)
  case usage(String)
  case openQuote
  case unknownField(String, known: [String])
  case noText(String)
  case notTaken(String)
  case noForm
  case noFile
  case unsaved(String)

  package var description: String {
    switch self {
    case .unknownCommand(let name): "there is no command '\(name)'; 'help' lists them"
    case .usage(let usage): "usage: \(usage)"
    case .openQuote: "a quote is not closed"
    case .unknownField(let name, let known):
      "there is no field '\(name)'; the fields are \(known.joined(separator: ", "))"
    case .noText(let name): "'\(name)' needs a text; use \"\" for an empty one"
    case .notTaken(let problem): problem
    case .noForm: "nothing is being edited"
    case .noFile: "the ledger has no file yet; use 'save FILE'"
    case .unsaved(let changes):
      "not saved: \(changes); save, or repeat the command to discard the changes"
    }
  }
}
