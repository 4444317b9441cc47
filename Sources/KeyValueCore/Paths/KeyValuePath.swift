/// A typed key path of several components that is observable on every platform.
///
/// Spell it as a key path literal, which the compiler checks, or take it from a bound path. Behind
/// an optional the path's value is optional, with or without `?`. A path belongs to no object:
/// `person.kvo[path]` binds it to one.
///
/// ```swift
/// let path = KeyValuePath(ada.kvo.account.balance)
/// // or KeyValuePath<Person, Double?>(\.account.balance)
/// print(path)                                   // account.balance
/// let observation = person.kvo[path].observe(options: .new) { _, change in … }
/// ```
///
/// Components that name keys of observable classes are observed. Components after the last key may
/// be any readable member; they are read again when the last key changes.
///
/// A path isn't `Sendable`, because key paths aren't. It never changes, so a type without isolation may
/// keep one as a `nonisolated(unsafe) static let`.
///
/// - Complexity: Creating a path from a literal takes about 2 µs and one look-up for each
///   component. Keep the path where you register often.
@dynamicMemberLookup
public struct KeyValuePath<Root, Value> {
  @usableFromInline let content: Content

  /// Shared by all copies of the path.
  @usableFromInline
  final class Content {
    let steps: [PathStep]
    @usableFromInline let access: Access
    private let extensions = PublishedReference<RememberedPaths>()
    private let lazyObserved = PublishedReference<ObservedPath>()
    let boxAggregate: AggregateBox?

    fileprivate init(steps: [PathStep], access: Access, boxAggregate: AggregateBox?) {
      self.steps = steps
      self.access = access
      self.boxAggregate = boxAggregate
    }

    /// The content of a path that's written as a string.
    fileprivate init(observed: ObservedPath, access: Access) {
      steps = []
      self.access = access
      boxAggregate = observed.boxAggregate
      _ = lazyObserved.storeIfNil(observed)
    }

    /// The content of this path extended by a component, if it was spelled before.
    @usableFromInline
    func known(_ keyPath: AnyKeyPath, _ kind: RememberedPaths.Kind) -> AnyObject? {
      extensions.withLoaded { $0.content(keyPath, kind) }
    }

    /// The content of this path extended by a component, which is created and kept if necessary.
    func content(
      _ keyPath: AnyKeyPath, _ kind: RememberedPaths.Kind, orMake make: () -> AnyObject
    ) -> AnyObject {
      let known = extensions.load() ?? extensions.storeIfNil(RememberedPaths())
      return known.content(keyPath, kind, orMake: make)
    }

    /// The path in the form that observing uses, created on first use.
    var observed: ObservedPath {
      lazyObserved.load()
        ?? lazyObserved.storeIfNil(ObservedPath(steps, boxAggregate: boxAggregate))
    }
  }

  /// How to read the value from the root, and from the address of the last property's value.
  ///
  /// The second closure is nil if that property's value is the result.
  @usableFromInline
  enum Access {
    case value(read: (Root) -> Value, load: ((UnsafeRawPointer) -> Value)?)
    /// The path is being spelled with `?`, so its value may be missing.
    case chained(read: (Root) -> Value?, load: ((UnsafeRawPointer) -> Value?)?)
  }

  @usableFromInline
  init(_ content: Content) {
    self.content = content
  }

  /// Creates a path that's written as a string.
  init(observed: ObservedPath, access: Access) {
    content = Content(observed: observed, access: access)
  }

  /// `boxAggregate` boxes a maintained operator's value in the path's type.
  init(
    steps: [PathStep], access: Access, boxAggregate: AggregateBox? = nil
  ) {
    content = Content(steps: steps, access: access, boxAggregate: boxAggregate)
  }

  var steps: [PathStep] { content.steps }
  @inlinable var access: Access { content.access }
  @usableFromInline var observed: ObservedPath { content.observed }

  /// Creates the path that a literal spells: `KeyValuePath<Person, Double?>(\.account.balance)`.
  public init(_ keyPath: KeyPath<KeyValuePath<Root, Root>, KeyValuePath<Root, Value>>) {
    self = KeyValuePath<Root, Root>.start[keyPath: keyPath]
  }

  /// Creates the path that a literal with `?` spells: `\.account?.balance`; its value is optional.
  @_disfavoredOverload
  public init<Wrapped>(
    _ keyPath: KeyPath<KeyValuePath<Root, Root>, KeyValuePath<Root, Wrapped>?>
  ) where Value == Wrapped? {
    // The subscripts behind the `?` spelling never return nil.
    guard let path = KeyValuePath<Root, Root>.start[keyPath: keyPath] else {
      KeyValueViolation.fatal(.unobservablePath, "A key path literal names no path.")
    }
    // A missing owner has no aggregate, so it never makes a maintained value nil.
    let boxAggregate = path.content.boxAggregate.map { AggregateBox($0, optional: Wrapped.self) }
    self.init(
      steps: path.steps, access: .value(read: path.optionalRead, load: path.optionalLoad),
      boxAggregate: boxAggregate)
  }
}

// MARK: Spelling

// Inlinable, so that the closures that read the path are specialised for the client's types.
extension KeyValuePath {
  /// Extends the path by a property.
  @inlinable
  public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> KeyValuePath<Root, Next> {
    step(keyPath)
  }

  /// Extends the path through an optional; the result is optional.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyValuePath<Root, Next?> where Value == Wrapped? {
    stepThrough(keyPath)
  }

  /// Extends the path through an optional by an optional property; the result isn't nested.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValuePath<Root, Next?> where Value == Wrapped? {
    stepFlattening(keyPath)
  }

  @inlinable
  func step<Next>(_ keyPath: KeyPath<Value, Next>) -> KeyValuePath<Root, Next> {
    remembered(keyPath, .step) {
      let step = PathStep.step(keyPath)
      let next = step.reader(keyPath)
      return switch access {
      case .value(let read, _):
        extended(by: step, .value(read: { next(read($0)) }, load: nil))
      case .chained(let read, _):
        extended(
          by: step,
          .chained(
            read: { read($0).map(next) },
            load: { .some($0.assumingMemoryBound(to: Next.self).pointee) }))
      }
    }
  }

  @inlinable
  func stepThrough<Wrapped, Next>(
    _ keyPath: KeyPath<Wrapped, Next>
  ) -> KeyValuePath<Root, Next?> where Value == Wrapped? {
    remembered(keyPath, .through) {
      let step = PathStep.step(keyPath)
      let next = step.reader(keyPath)
      return extended(
        by: step, { $0.map(next) }, load: { .some($0.assumingMemoryBound(to: Next.self).pointee) })
    }
  }

  @inlinable
  func stepFlattening<Wrapped, Next>(
    _ keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValuePath<Root, Next?> where Value == Wrapped? {
    remembered(keyPath, .flattening) {
      let step = PathStep.step(keyPath)
      let next = step.reader(keyPath)
      return extended(by: step, { $0.flatMap(next) }, load: nil)
    }
  }

  /// This path extended by a component, created once.
  ///
  /// The key path, the previous path and the kind determine the type together.
  @inlinable
  @inline(__always)
  func remembered<Next>(
    _ keyPath: AnyKeyPath, _ kind: RememberedPaths.Kind, _ make: () -> KeyValuePath<Root, Next>
  ) -> KeyValuePath<Root, Next> {
    let known = content.known(keyPath, kind) ?? made(keyPath, kind, make)
    return KeyValuePath<Root, Next>(
      unsafeDowncast(known, to: KeyValuePath<Root, Next>.Content.self))
  }

  @usableFromInline
  @inline(never)
  func made<Next>(
    _ keyPath: AnyKeyPath, _ kind: RememberedPaths.Kind, _ make: () -> KeyValuePath<Root, Next>
  ) -> AnyObject {
    content.content(keyPath, kind) { make().content }
  }

  @inlinable
  func extended<Next>(
    by step: PathStep, _ next: @escaping (Value) -> Next,
    load: ((UnsafeRawPointer) -> Next)?
  ) -> KeyValuePath<Root, Next> {
    switch access {
    case .value(let read, _):
      extended(by: step, .value(read: { next(read($0)) }, load: load))
    case .chained(let read, _):
      extended(by: step, .chained(read: { read($0).map(next) }, load: load))
    }
  }

  @usableFromInline
  func extended<Next>(
    by step: PathStep, _ access: KeyValuePath<Root, Next>.Access
  ) -> KeyValuePath<Root, Next> {
    KeyValuePath<Root, Next>(steps: steps + [step], access: access)
  }

  /// Extends the path by an optional property, for a spelling that continues with `?`.
  @inlinable
  public subscript<Wrapped>(
    dynamicMember keyPath: KeyPath<Value, Wrapped?>
  ) -> KeyValuePath<Root, Wrapped>? {
    let step = PathStep.step(keyPath)
    let next = step.reader(keyPath)
    let read = optionalRead
    return extended(by: step, .chained(read: { read($0).flatMap(next) }, load: nil))
  }

  /// Extends the path through an optional by an optional property, for a spelling that continues
  /// with `?`.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValuePath<Root, Next>? where Value == Wrapped? {
    let step = PathStep.step(keyPath)
    let next = step.reader(keyPath)
    let read = optionalRead
    return extended(
      by: step, .chained(read: { root in read(root).flatMap { $0 }.flatMap(next) }, load: nil))
  }
}

// MARK: Reading

extension KeyValuePath {
  /// How to read a whole path.
  ///
  /// Reading one that's spelled with `!` traps if an object is nil.
  ///
  /// Inlinable, so that it's specialised for the client's types.
  @inlinable
  var reading: (read: (Root) -> Value, load: ((UnsafeRawPointer) -> Value)?) {
    if case .value(let read, let load) = access { (read, load) } else { unwrappingReading }
  }

  @usableFromInline
  var unwrappingReading: (read: (Root) -> Value, load: ((UnsafeRawPointer) -> Value)?) {
    let (read, load) = (optionalRead, optionalLoad)
    func loaded(_ address: UnsafeRawPointer) -> Value? {
      load.map { $0(address) } ?? address.assumingMemoryBound(to: Value?.self).pointee
    }
    return ({ unwrappedOrFatal(read($0)) }, { unwrappedOrFatal(loaded($0)) })
  }

  private func unwrappedOrFatal(_ value: Value?) -> Value {
    guard let value else {
      KeyValueViolation.fatal(
        .unobservablePath,
        "An object on '\(observed.string)' is nil, and the path is spelled with '!'. Spell it with '?'."
      )
    }
    return value
  }

  @inlinable var optionalRead: (Root) -> Value? {
    switch access {
    case .value(let read, _): { .some(read($0)) }
    case .chained(let read, _): read
    }
  }

  @inlinable var optionalLoad: ((UnsafeRawPointer) -> Value?)? {
    switch access {
    case .value(_, let load?): { .some(load($0)) }
    case .value(_, nil): { .some($0.assumingMemoryBound(to: Value.self).pointee) }
    case .chained(_, let load): load
    }
  }
}

extension KeyValuePath where Root == Value {
  /// The path of no components, created once for each observable class.
  static var start: KeyValuePath<Root, Root> {
    guard let type = Root.self as? any KeyValueObservable.Type else {
      return KeyValuePath(steps: [], access: .value(read: { $0 }, load: nil))
    }
    return start(in: KeyValueSchema.schema(of: type))
  }

  private static func start(in schema: KeyValueSchema) -> KeyValuePath<Root, Root> {
    let content =
      schema.startOfPaths.load()
      ?? schema.startOfPaths.storeIfNil(
        Content(steps: [], access: .value(read: { $0 }, load: nil), boxAggregate: nil))
    return KeyValuePath(unsafeDowncast(content, to: Content.self))
  }
}

extension KeyValuePath where Root == Value, Root: KeyValueObservable {
  @usableFromInline
  static func start(of type: Root.Type) -> KeyValuePath<Root, Root> {
    KeyValueSchema.withSchema(of: type) { start(in: $0) }
  }
}

extension KeyValuePath: Hashable {
  /// Whether both lead to the same value, however they're spelled.
  public static func == (left: KeyValuePath, right: KeyValuePath) -> Bool {
    if left.content === right.content { return true }
    let (first, second) = (left.observed, right.observed)
    return first.isNamedByKeys && second.isNamedByKeys
      ? first.meaning == second.meaning : left.steps == right.steps
  }

  /// Hashes the keys, and the components where keys don't identify the path.
  public func hash(into hasher: inout Hasher) {
    if observed.isNamedByKeys { hasher.combine(observed.meaning) } else { hasher.combine(steps) }
  }
}

// Not CustomStringConvertible: `description` may be a key.
extension KeyValuePath: CustomDebugStringConvertible {
  /// The path as the string interface writes it: `account.balance`.
  public var debugDescription: String { observed.string }
}

extension String {
  /// The path as the string interface writes it: `account.balance`.
  public init<Root, Value>(_ path: KeyValuePath<Root, Value>) {
    self = path.observed.string
  }
}
