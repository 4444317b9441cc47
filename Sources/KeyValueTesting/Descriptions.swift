// The words of a description. They're functions, because a result builder can't declare others.

/// Indexes of a description: `0`, `2..<4`, `[0, 2]`, or a `RangeSet`.
public protocol ExpectedIndexes {
  /// The same indexes as a set.
  var expectedIndexes: RangeSet<Int> { get }
}

extension Int: ExpectedIndexes {
  /// A set of one index.
  public var expectedIndexes: RangeSet<Int> { RangeSet(self..<self + 1) }
}

extension Range<Int>: ExpectedIndexes {
  /// A set of one range.
  public var expectedIndexes: RangeSet<Int> { RangeSet(self) }
}

extension ClosedRange<Int>: ExpectedIndexes {
  /// A set of one range.
  public var expectedIndexes: RangeSet<Int> { RangeSet(Range(self)) }
}

extension [Int]: ExpectedIndexes {
  /// A set of these indexes, in any order.
  public var expectedIndexes: RangeSet<Int> { RangeSet(map { $0..<$0 + 1 }) }
}

extension RangeSet<Int>: ExpectedIndexes {
  /// The set itself.
  public var expectedIndexes: RangeSet<Int> { self }
}

/// Describes a set value, whatever it was and is.
///
/// ```swift
/// change(person.kvo.name)
/// ```
public func change<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .setting, fileID, line)
}

/// Describes a set value by what it was.
public func change<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, old: Value, fileID: StaticString = #fileID,
  line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .setting, old: old, fileID, line)
}

/// Describes a set value by what it is.
public func change<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, new: Value, fileID: StaticString = #fileID,
  line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .setting, new: new, fileID, line)
}

/// Describes a set value by what it was and is.
///
/// ```swift
/// change(company.kvo.totalSalary, old: 0, new: 100)
/// ```
///
/// Values are compared by `==`, observable objects by identity if they aren't `Equatable`, and collections by
/// their elements.
public func change<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, old: Value, new: Value,
  fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .setting, old: old, new: new, fileID, line)
}

/// Describes elements that entered an ordered collection.
///
/// ```swift
/// insertion(company.kvo.employees, at: 0, of: [ada])
/// ```
///
/// - Parameters:
///   - path: The collection.
///   - indexes: Where they are after the insertion.
///   - elements: The elements; any elements without it.
///   - fileID: The file of the description.
///   - line: The line there.
/// - Returns: The description.
public func insertion<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, at indexes: some ExpectedIndexes,
  of elements: Value? = nil, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .insertion, at: indexes.expectedIndexes, new: elements, fileID, line)
}

/// Describes elements that entered a collection, wherever.
public func insertion<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, of elements: Value? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .insertion, new: elements, fileID, line)
}

/// Describes elements that left an ordered collection.
///
/// ```swift
/// removal(company.kvo.employees, at: 0..<2)
/// ```
///
/// - Parameters:
///   - path: The collection.
///   - indexes: Where they were before the removal.
///   - elements: The elements; any elements without it.
///   - fileID: The file of the description.
///   - line: The line there.
/// - Returns: The description.
public func removal<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, at indexes: some ExpectedIndexes,
  of elements: Value? = nil, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .removal, at: indexes.expectedIndexes, old: elements, fileID, line)
}

/// Describes elements that left a collection, from wherever.
public func removal<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, of elements: Value? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .removal, old: elements, fileID, line)
}

/// Describes elements of an ordered collection that were replaced.
///
/// ```swift
/// replacement(company.kvo.employees, at: 0, old: [ada], new: [grace])
/// ```
///
/// - Parameters:
///   - path: The collection.
///   - indexes: Where they are.
///   - old: The elements that left; any elements without it.
///   - new: The elements that entered; any elements without it.
///   - fileID: The file of the description.
///   - line: The line there.
/// - Returns: The description.
public func replacement<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, at indexes: some ExpectedIndexes, old: Value? = nil,
  new: Value? = nil, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .replacement, at: indexes.expectedIndexes, old: old, new: new, fileID, line)
}

/// Describes elements of a collection that were replaced, wherever.
public func replacement<Object: KeyValueObservable, Value>(
  _ path: KeyValueBoundPath<Object, Value>, old: Value? = nil, new: Value? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(path, .replacement, old: old, new: new, fileID, line)
}

/// Describes an object that entered a graph.
///
/// ```swift
/// entry(of: ada)
/// ```
public func entry(
  of object: some KeyValueObservable, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(object, .entry, fileID, line)
}

/// Describes an object that left a graph.
public func departure(
  of object: some KeyValueObservable, fileID: StaticString = #fileID, line: UInt = #line
) -> ExpectedChange {
  ExpectedChange(object, .departure, fileID, line)
}

/// Describes the call before a change, which the option `prior` asks for.
///
/// ```swift
/// expectChanges(of: person.kvo.age, options: [.old, .new, .prior]) {
///   person.age = 37
/// } are: {
///   prior(change(person.kvo.age, old: 36))
///   change(person.kvo.age, old: 36, new: 37)
/// }
/// ```
public func prior(_ change: ExpectedChange) -> ExpectedChange {
  var prior = change
  prior.isPrior = true
  return prior
}

/// Describes changes whose order among each other doesn't count.
///
/// ```swift
/// inAnyOrder {
///   change(company.kvo.name)
///   change(company.kvo.address)
/// }
/// ```
///
/// What's described before it comes before all of them, and what's described after it comes after all of them.
public func inAnyOrder(
  @ExpectedChangesBuilder _ changes: () throws -> ExpectedChanges
) rethrows -> ExpectedChanges {
  ExpectedChanges(steps: [.inAnyOrder(try changes().all)])
}

extension ExpectedChange {
  fileprivate init<Object: KeyValueObservable, Value>(
    _ path: KeyValueBoundPath<Object, Value>, _ kind: KeyValueChangeKind,
    at indexes: RangeSet<Int>? = nil, old: Value? = nil, new: Value? = nil,
    _ fileID: StaticString, _ line: UInt
  ) {
    self.init(
      subject: ChangeSubject(path), kind: kind, indexes: indexes,
      old: old.map { ValueSnapshot($0) }, new: new.map { ValueSnapshot($0) },
      place: KeyValueTrace.Place(SourcePlace(fileID, line)))
  }

  fileprivate init(
    _ object: some KeyValueObservable, _ what: ChangeSubject.What, _ fileID: StaticString,
    _ line: UInt
  ) {
    self.init(
      subject: ChangeSubject(object: WeakObject(object), what: what), kind: .setting,
      place: KeyValueTrace.Place(SourcePlace(fileID, line)))
  }
}

extension ChangeSubject {
  init<Object: KeyValueObservable, Value>(_ path: KeyValueBoundPath<Object, Value>) {
    self.init(
      object: WeakObject(path._object), what: .path(path._meaning), components: path._components)
  }
}
