import SwiftDiagnostics

/// The macros' messages about a class's other roles.
enum ShapeMessage {
  // Codable.
  case codingKeyWithoutProperty(String, type: String)
  case propertyWithoutCodingKey(String)
  case constantNotDecoded(String)
  case noInitializerLeft(String)
  case notCoded(String, conformance: String, methods: String)

  // Other attributes.
  case observation

  // The superclass.
  case foundationAnnounces(String, key: String?, superclass: String)

  // Initialisers.
  case observerRunsInInitializer(String)
  case captureListInInitializer(String)
  case accessorsInDeinit([String], actor: String)

  var severity: DiagnosticSeverity {
    switch self {
    case .constantNotDecoded, .noInitializerLeft, .notCoded, .observerRunsInInitializer,
      .captureListInInitializer, .accessorsInDeinit:
      .warning
    // The operation's queue may wait for an unknown key.
    case .foundationAnnounces(_, nil, _): .warning
    default: .error
    }
  }

  var message: String {
    switch self {
    case .codingKeyWithoutProperty(let key, let type):
      "'CodingKeys' of '\(type)' has the case '\(key)', but '\(type)' stores no property '\(key)'"
    case .propertyWithoutCodingKey(let name):
      """
      '\(name)' has neither a case in 'CodingKeys' nor a value to begin with, so 'init(from:)' cannot \
      be written; add the case, give the property a value, or write 'init(from:)'
      """
    case .constantNotDecoded(let name):
      """
      '\(name)' is encoded but not decoded, because a 'let' with a value cannot be set again; make it a \
      'var', or declare 'CodingKeys' to say that this is meant
      """
    case .noInitializerLeft(let type):
      """
      '\(type)' declares 'CodingKeys' and no initialiser; 'init(from:)' is written for it, and Swift \
      gives a class with an initialiser no other, nor lets it inherit one; declare those that are used
      """
    case .notCoded(let type, let conformance, let methods):
      """
      '\(conformance)' of '\(type)' comes from a superclass or an extension, so '@KeyValueObservable' does \
      not code the properties that '\(type)' adds; write \(methods) in the class, or declare 'CodingKeys' \
      to say that this is meant
      """
    case .observation:
      """
      '@Observable' and '@KeyValueObservable' cannot both rewrite the properties' accessors; write \
      '@KeyValueObservable(tracking: true)' alone, which tells Observation too
      """
    case .foundationAnnounces(let method, let key, let superclass):
      """
      '\(method)(forKey:)' is Foundation's here, because '\(superclass)' has it too, and tells no \
      observer of \(key.map { "'\($0)'" } ?? "the key"); write 'withChange(of:)' around the change, or \
      call it as '(self as any KeyValueObservable).\(method)(forKey:)'
      """
    case .observerRunsInInitializer(let name):
      """
      the observers of '\(name)' run for this change, which they don't in an initialiser of a plain \
      class; make the change a statement of its own
      """
    case .captureListInInitializer(let name):
      """
      the observers of '\(name)' run for this change, which they don't in an initialiser of a plain \
      class: Swift compiles no initialiser that a macro has written around a closure with a capture \
      list; move the closure into a method
      """
    case .accessorsInDeinit(let names, let actor):
      """
      this 'deinit' is not isolated, and the accessors of \(names.map { "'\($0)'" }.joined(separator: ", ")) \
      are isolated to '@\(actor)'; write 'isolated deinit', or mark what need not be observed @KeyValueIgnored
      """
    }
  }
}
