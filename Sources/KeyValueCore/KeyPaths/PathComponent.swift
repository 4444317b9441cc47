/// One component of a key path; strings become components only here.
struct PathComponent: Hashable, Sendable {
  enum Kind: Hashable {
    /// A key of a class or of a dictionary.
    case key
    /// The object or value itself.
    case identity
    case operation(CollectionOperator)
    /// A name that begins with `@`, but isn't an operator's.
    case unknownOperator
    /// A member of a value, whose name is only printed.
    case member
  }

  let name: String
  /// The name's hash, for looking the key up.
  let nameHash: Int
  let kind: Kind

  /// Creates the component that this name stands for in a key path.
  init(_ name: String) {
    self.name = name
    nameHash = name.quickHash
    if name == PathComponent.identityName {
      kind = .identity
    } else if name.utf8.first == UInt8(ascii: "@") {  // `hasPrefix` compares characters
      kind =
        CollectionOperator(rawValue: String(name.dropFirst())).map { .operation($0) }
        ?? .unknownOperator
    } else {
      kind = .key
    }
  }

  init(_ operation: CollectionOperator) {
    self.init(name: operation.component, .operation(operation))
  }

  private init(name: String, _ kind: Kind) {
    self.name = name
    nameHash = name.quickHash
    self.kind = kind
  }

  static var identityName: String { "self" }

  static func key(_ name: String) -> PathComponent { PathComponent(name: name, .key) }
  static func member(_ name: String) -> PathComponent { PathComponent(name: name, .member) }

  var isIdentity: Bool { kind == .identity }

  var isOperator: Bool {
    switch kind {
    case .operation, .unknownOperator: true
    case .key, .identity, .member: false
    }
  }

  /// The operator; nil also for an unknown operator.
  var operation: CollectionOperator? {
    if case .operation(let operation) = kind { operation } else { nil }
  }
}

extension Collection<PathComponent> {
  /// The components as they are written: `account.balance`.
  // Inlined, because joining a generic collection's names takes thousands of instructions.
  @inline(__always)
  var string: String { map(\.name).joined(separator: ".") }
}

extension [PathComponent] {
  /// The operator at an index, which has a path on its right if it takes one.
  ///
  /// `position` is the component's position in the key path as written, counted from 1.
  ///
  /// - Throws: `KeyValueCodingError.unknownOperator`, with the nearest names, or `malformedKeyPath`.
  func operation(
    at index: Int, of keyPath: String, position: Int
  ) throws -> CollectionOperator {
    let name = self[index].name
    guard let operation = self[index].operation else {
      throw KeyValueCodingError.unknownOperator(
        .init(
          type: "", key: name, keyPath: keyPath, position: position,
          suggestions: nearest(to: name, among: CollectionOperator.allCases.map(\.component))))
    }
    guard operation.takesPath, index + 1 == count else { return operation }
    throw KeyValueCodingError.malformedKeyPath(
      .init(
        type: "", key: keyPath, keyPath: keyPath, position: position,
        reason: "\(name) needs a path on its right"))
  }

  /// Checks, before anything is attached, that every operator of a path is valid.
  func checkOperators() throws {
    for index in indices where self[index].isOperator {
      _ = try operation(at: index, of: string, position: index + 1)
    }
  }
}
