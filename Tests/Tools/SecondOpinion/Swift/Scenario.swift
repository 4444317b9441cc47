import KeyValueObserving

/// Runs the commands of one scenario, and prints its history.
///
/// README.md describes the commands.
final class Scenario {
  struct Misspelt: Error {
    let command: String
  }

  var literals = Literals()
  private var observers: [String: Observer] = [:]
  private let classes: [String: any ScenarioModel.Type] = [
    "Person": Person.self, "Forgiving": Forgiving.self, "Account": Account.self, "Team": Team.self,
    "Company": Company.self,
  ]

  func say(_ line: String) { write("  " + line) }

  /// Runs a command; its errors are part of the history, and a misspelt command ends the program.
  func run(_ words: [Substring]) {
    do {
      try perform(words[0], Array(words.dropFirst()))
    } catch let error as KeyValueCodingError {
      say("raises \(error.cocoaName)")
    } catch {
      fatalError("\(words.joined(separator: " ")): \(error)")
    }
  }

  func object(_ name: Substring) throws -> any ScenarioModel {
    guard let object = literals.objects[String(name)] else { throw Misspelt(command: String(name)) }
    return object
  }

  func observer(_ name: Substring) -> Observer {
    let name = String(name)
    if let observer = observers[name] { return observer }
    observers[name] = Observer(name, self)
    return observers[name]!
  }

  private func perform(_ verb: Substring, _ words: [Substring]) throws {
    switch (verb, words.count) {
    case ("new", 2):
      guard let type = classes[String(words[1])] else { throw Misspelt(command: "new") }
      literals.name(type.init(), String(words[0]))
    case ("forget", 1): literals.forget(String(words[0]))
    case ("when", 3...):
      observer(words[0]).scripts[Int(words[1])!, default: []].append(Array(words.dropFirst(2)))
    case ("set", 3):
      try object(words[0]).setValue(literals.value(words[2]), forKeyPath: String(words[1]))
    case ("assign", 3):
      guard try object(words[0]).assign(literals.value(words[2]), to: String(words[1])) else {
        throw Misspelt(command: "assign")
      }
    case ("get", 2):
      say("= " + literals.text(try object(words[0]).value(forKeyPath: String(words[1]))))
    case ("validate", 3): try validate(words)
    case ("observe", 4...5), ("remove", 3...4), ("observeall", 6), ("removeall", 5),
      ("observed", 1):
      try register(verb, words)
    case ("will", 2...4), ("did", 2...4): try announce(verb, words)
    case ("array", 3...5): try changeArray(words)
    case ("setof", 3...4): try changeSet(words)
    default: throw Misspelt(command: String(verb))
    }
  }

  private func validate(_ words: [Substring]) throws {
    var value = try literals.value(words[2])
    do {
      try object(words[0]).validateValue(&value, forKeyPath: String(words[1]))
      say("valid \(literals.text(value))")
    } catch is Person.Negative {
      say("invalid")
    }
  }
}

extension KeyValueCodingError {
  /// The exception that Cocoa raises instead of the library's error.
  var cocoaName: String {
    switch self {
    case .undefinedKey, .readOnly: "NSUnknownKeyException"
    case .notRegistered, .indexOutOfRange: "NSRangeException"
    case .nilValue, .typeMismatch, .malformedKeyPath, .unknownOperator, .notACollection,
      .notKeyValueObservable:
      "NSInvalidArgumentException"
    }
  }
}
