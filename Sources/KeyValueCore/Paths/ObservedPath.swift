/// A path in the form that observing uses: the keys to attach to, and whether a tail follows them.
// Checked by hand: immutable except for what `remembered` publishes; only the observed object's users
// read contributions.
@usableFromInline
final class ObservedPath: @unchecked Sendable {
  /// The path as requested, with the keys that objects have shown its members to be.
  var string: String {
    guard let found else { return spelling }
    return found.names.withLock { found in
      names.enumerated().map { found[$0.offset] ?? $0.element }.joined(separator: ".")
    }
  }
  private let spelling: String
  /// The components' names, if there are members in front of the last key or in its place.
  private let names: [String]
  /// The keys that members stand for, by the member's index; nil if there are no such members.
  private let found: FoundKeys?

  private final class FoundKeys: Sendable {
    let names = LockedValue<[Int: String]>([:])
  }
  let keys: [PathComponent]
  /// Whether the value is read through members after the last key.
  let hasTail: Bool
  /// The type that a typed handler takes from the last key's property; nil for any type, `Never` if
  /// the handler reads the value in another way.
  let leafType: Any.Type?
  /// Why the path can't be observed as spelled, in words.
  let problem: String?
  /// Boxes the operator's value in the type that a sink reads; nil if the path has no operator.
  let boxAggregate: AggregateBox?
  /// Boxes a value of the last key's property in the type that a sink reads; nil if the sink reads the
  /// value in place.
  let boxLeaf: LeafBox?

  /// Boxes a property's value at an address; nil if the value already has the sink's type.
  typealias LeafBox = (Property, UnsafeRawPointer) -> AnyObject?

  /// How to read the members of values that lead to a key, by the member's index in `keys`.
  let members: [Int: (Any) -> Any?]
  /// The members in `members` that their key paths tell apart from a key, such as those of an extension.
  let plainMembers: Set<Int>
  /// How to read the members after the last key, from its value; nil if there are none, or only a
  /// collection's count.
  let tail: ((Any) -> Any?)?
  /// If the first member isn't known to be a key: how to read it, and the explanation.
  let unknown: (read: (Any) -> Any?, explanation: () -> String)?
  /// Whether the first member's key path tells it apart from a key.
  let isPlainMember: Bool
  /// The parsed path, if it was a string.
  let parsed: ParsedKeyPath?

  /// The property that is the whole path and has no dependencies, of the class that was observed first.
  private let remembered = PublishedReference<Property>()

  /// The remembered property, if it belongs to this class; a kept path then needs no look-up of its key.
  func knownProperty(in schema: KeyValueSchema) -> Property? {
    remembered.load().flatMap { schema.has($0) ? $0 : nil }
  }

  /// Notes which key a member stands for, so that the path is printed with it.
  func note(_ property: Property, at index: Int) {
    found?.names.withLock { $0[index] = property.key }
  }

  /// Whether a key of the path, or one that a member of it stands for, is marked `@KeyValueRedacted`.
  var isRedacted: Bool {
    RedactedKeys.contain(keys)
      || found?.names.withLock { $0.values.contains(where: RedactedKeys.contain) } == true
  }

  /// Remembers the property that is the whole path and has no dependencies.
  func remember(_ property: Property, of schema: KeyValueSchema) {
    // If only the object can tell what the member is, it's asked each time.
    if !isUncertain, schema.has(property) { _ = remembered.storeIfNil(property) }
  }

  /// Whether the keys alone identify what's observed, so that the string identifies the path.
  var isNamedByKeys: Bool { !omitsComponents && members.isEmpty && unknown == nil }

  /// Whether components follow that aren't keys, or that a string would take for an operator's right-hand path.
  private let omitsComponents: Bool

  /// The path without what means nothing, such as `self` next to another component.
  ///
  /// It's the same for equal paths that are named by their keys.
  var meaning: String { parsed?.meaning ?? string }

  /// Whether a member is in the last key's place, of an object that isn't observable or is behind a protocol.
  var endsInMember: Bool { members[keys.count - 1] != nil }

  /// Whether only an object can tell if the path is observable.
  var isUncertain: Bool { unknown != nil }

  /// Whether the path was written as a string, whose components the compiler doesn't check.
  var isString: Bool { parsed != nil }

  /// Whether the path reaches private keys: the compiler has checked that the code may name them.
  var reachesPrivateKeys: Bool { parsed?.reachesPrivateKeys ?? true }

  /// Whether the path may name this property.
  func mayReach(_ property: Property) -> Bool {
    property.restrictedAccess == nil || reachesPrivateKeys
  }

  /// The error with its position counted in the path as written.
  func respelled(_ error: KeyValueCodingError) -> KeyValueCodingError {
    parsed?.respelled(error) ?? error
  }

  /// Reads an element's contribution to the operator of a typed path.
  private let typedContribution: ((AnyObject) -> Any?)?
  /// Whether the path is typed and ends in one key behind its only operator.
  private let endsBehindOnlyOperator: Bool

  /// Whether the path has an operator, whose value may be maintained.
  var hasOperator: Bool { keys.contains(where: \.isOperator) }

  /// The value at a string path; nil if the path is broken, which attaching to it has reported, or if an operator
  /// can't use an element's value, which is reported here.
  func value(of root: AnyObject) -> Any? {
    // A key that a class only names has no value, which is no reason for an exception here.
    UndefinedKeyQuestion.withoutRaising { read(root) }
  }

  private func read(_ root: AnyObject) -> Any? {
    guard let root = root as? any KeyValueObservable, let parsed else { return nil }
    do { return try parsed.value(ofObject: root) } catch {
      reportUnusable(error, of: type(of: root))
      return nil
    }
  }

  /// Reports why an operator has no value, once for each class and path.
  private func reportUnusable(_ error: any Error, of type: Any.Type) {
    guard let error = error as? KeyValueCodingError, error.details.attempt == .evaluated else {
      return
    }
    ReportOnce.tolerated("operator", of: type, string) {
      // The error shows the value.
      isRedacted
        ? "'\(string)' reads as nil to its observers: an operator can't use a value."
        : "'\(string)' reads as nil to its observers: \(error)"
    }
  }

  /// An element's contribution can't be read.
  private struct UnreadableContribution: Error {}

  /// How to read an element's contribution to an operator whose right-hand path starts at this
  /// component; the function throws if the path can't be followed.
  func contribution(from index: Int) -> (AnyObject) throws -> Any? {
    if let typedContribution { return typedContribution }
    let path = ParsedKeyPath(keys[index...]).reachingPrivateKeys(reachesPrivateKeys)
    if keys.indices.last == index, !keys[index].isIdentity {
      let key = keys[index].name
      let privately = reachesPrivateKeys
      return { element in
        try (element as? any KeyValueObservable)?.value(forKey: key, privately: privately)
      }
    }
    return { element in
      var value: Any?
      // A key that an object lacks has been reported, which is no reason for an exception here.
      guard UndefinedKeyQuestion.isAnswered({ value = try path.value(of: element) }) else {
        throw UnreadableContribution()
      }
      return value
    }
  }

  /// Whether an element's contribution is the value of one key, this component.
  func isKey(from index: Int) -> Bool {
    typedContribution == nil ? index == keys.count - 1 : endsBehindOnlyOperator
  }

  /// Whether the first operator is a sum, or an average, of one key.
  var addsKeys: Bool {
    guard let index = keys.firstIndex(where: \.isOperator), index + 1 < keys.count else {
      return false
    }
    return keys[index].operation?.family == .sum && isKey(from: index + 1)
  }

  /// `leafType` is the type that a typed handler takes from the last key's property.
  ///
  /// `boxAggregate` boxes an operator's value in the handler's type; nil for `Any?`. `boxLeaf` does the
  /// same for the last key's property, if only the object can tell which property that is.
  init(
    _ parsed: ParsedKeyPath, leafType: Any.Type? = nil, boxAggregate: AggregateBox? = nil,
    boxLeaf: LeafBox? = nil
  ) {
    self.boxAggregate = parsed.hasOperator ? boxAggregate ?? .untyped : nil
    typedContribution = nil
    endsBehindOnlyOperator = false
    self.leafType = leafType
    self.boxLeaf = boxLeaf
    spelling = parsed.string
    names = []
    found = nil
    keys = parsed.components
    hasTail = false
    omitsComponents = false
    problem = nil
    members = [:]
    plainMembers = []
    tail = nil
    unknown = nil
    isPlainMember = false
    self.parsed = parsed
  }

  init(_ steps: [PathStep], boxAggregate: AggregateBox? = nil) {
    self.boxAggregate = boxAggregate
    boxLeaf = nil
    var keys: [PathComponent] = []
    var members: [Int: (Any) -> Any?] = [:]
    var plainMembers: Set<Int> = []
    var tail: ((Any) -> Any?)?
    var unknown: (read: (Any) -> Any?, explanation: () -> String)?
    var isPlainMember = false
    var contribution: ((AnyObject) -> Any?)?
    var leafType: Any.Type?
    var problem =
      steps.isEmpty
      ? "The key path \\.self names no property. Observe one, as in person.kvo.name." : nil
    let lastObserved = steps.lastIndex(where: \.concernsObjects) ?? -1
    takingApart: for (index, step) in steps.enumerated() {
      switch step.kind {
      case .key(let property):
        keys.append(step.component)
        leafType = property.valueType
      case .count:
        keys.append(step.component)
        if index > lastObserved { break takingApart }
      case .operation(_, let read):
        keys.append(step.component)
        contribution = contribution ?? read
      case .unknown(let schema, let read):
        // A plain key path isn't read: one with `!` would trap while an object is nil.
        guard index == 0, !step.isLong else {
          problem = step.explanation(as: keys.count + 1, of: schema)
          break takingApart
        }
        unknown = (read, { step.explanation(as: 1, of: schema) })
        isPlainMember = step.isPlainMember
        keys.append(step.component)
        leafType = Never.self
      case .value(let read):
        guard index <= lastObserved else {
          tail = steps[index...].reader
          break takingApart
        }
        guard index > 0, step.continues(steps[index - 1]) else {
          problem =
            "'\(steps.map(\.component).string)' cannot be observed: component "
            + "\(keys.count + 1) is a member of what is made of all elements together, and the path "
            + "goes on into an object. Observe a key of the class that has that object as its value."
          break takingApart
        }
        members[keys.count] = read
        if step.isPlainMember { plainMembers.insert(keys.count) }
        leafType = Never.self
        keys.append(step.component)
      }
    }
    spelling = steps.map(\.component.name).joined(separator: ".")
    let hasMembers = unknown != nil || !members.isEmpty
    names = hasMembers ? steps.map(\.component.name) : []
    found = hasMembers ? FoundKeys() : nil
    hasTail = keys.count < steps.count && contribution == nil
    omitsComponents = keys.count < steps.count || steps.continuesBehindOperator
    self.keys = keys
    self.members = members
    self.plainMembers = plainMembers
    self.tail = tail
    self.unknown = unknown
    self.isPlainMember = isPlainMember
    self.problem = problem
    self.leafType = leafType
    parsed = nil
    typedContribution = contribution
    endsBehindOnlyOperator = steps.endsBehindOnlyOperator
  }
}

extension ArraySlice<PathStep> {
  /// How to read these members of values one after the other.
  fileprivate var reader: (Any) -> Any? {
    let reads = compactMap { step -> ((Any) -> Any?)? in
      if case .value(let read) = step.kind { read } else { nil }
    }
    return { base in
      reads.reduce(base) { value, read in value.flatMap(read) }
    }
  }
}

extension [PathStep] {
  /// Whether steps follow the first operator's right-hand path.
  fileprivate var continuesBehindOperator: Bool {
    guard let index = firstIndex(where: { $0.component.operation?.takesPath == true }) else {
      return false
    }
    return index + self[index].pathLength < count - 1
  }

  fileprivate var endsBehindOnlyOperator: Bool {
    let isOperator = { (step: PathStep) in if case .operation = step.kind { true } else { false } }
    guard let index = firstIndex(where: isOperator), index == count - 2 else { return false }
    return self[count - 1].isKey
  }
}
