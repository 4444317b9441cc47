extension KeyValueObservingOptions {
  /// What an expectation asks for: old and new values, and what happened to the elements of collections.
  public static let described: KeyValueObservingOptions = [.old, .new, .elementChanges]
}

/// Fails unless a closure's changes of these paths are exactly the ones described, in their order.
///
/// ```swift
/// expectChanges(of: company.kvo.totalSalary, company.kvo.employees) {
///   company.employees.append(ada)
///   ada.salary += 10
/// } are: {
///   change(company.kvo.totalSalary, old: 0, new: 100)
///   insertion(company.kvo.employees, at: 0)
///   change(company.kvo.totalSalary, old: 100, new: 110)
/// }
/// ```
///
/// The paths are observed in the order in which they're listed, so one change's calls come in that order. Where
/// an order doesn't count, write ``inAnyOrder(_:)``. The failure shows both lists line by line, and the
/// places of descriptions and, if the program records call sites, of changes.
///
/// A change of a collection is described by what happened to its elements, whether it was made through a proxy,
/// in place, or by an assignment. Without `elementChanges` in the options, an assignment is a `change`.
///
/// - Parameters:
///   - path: The paths.
///   - options: What the observers ask for.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
///   - expected: Describes the changes. It's called after the body.
/// - Throws: The closures' errors.
public func expectChanges<each Object: KeyValueObservable, each Value>(
  of path: repeat KeyValueBoundPath<each Object, each Value>,
  options: KeyValueObservingOptions = .described, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void, @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  try expectChanges(place, body, expected) { observer in
    repeat observer.observe(each path, options, place)
  }
}

/// Fails unless a closure's changes of an object's keys are exactly the ones described, in their order.
///
/// ```swift
/// expectChanges(of: company) {
///   company.name = "Analytical Engines"
/// } are: {
///   change(company.kvo.name, old: "Engines", new: "Analytical Engines")
///   change(company.kvo.title)
/// }
/// ```
///
/// Every key that strings reach is observed, dependent ones too, in the order of `keyValueKeys`. Otherwise like
/// the expectation of paths.
///
/// - Parameters:
///   - object: The object.
///   - options: What the observers ask for.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
///   - expected: Describes the changes. It's called after the body.
/// - Throws: The closures' errors.
public func expectChanges(
  of object: some KeyValueObservable, options: KeyValueObservingOptions = .described,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column,
  _ body: () throws -> Void, @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  try expectChanges(place, body, expected) { $0.observe(object, options, place) }
}

/// Fails unless a closure's changes of an object's graph are exactly the ones described, in their order.
///
/// ```swift
/// try expectChanges(ofGraph: company) {
///   company.employees.append(ada)
///   ada.salary += 10
/// } are: {
///   entry(of: ada)
///   insertion(company.kvo.employees, at: 0, of: [ada])
///   change(ada.kvo.salary, old: 100, new: 110)
/// }
/// ```
///
/// All stored keys of all objects that the root leads to count; computed ones don't. The changes are those of a
/// change log's records: objects that enter and leave are described by ``entry(of:fileID:line:)`` and
/// ``departure(of:fileID:line:)``, one of a dictionary's entries by a change of dictionaries with that entry
/// alone, and a transaction's changes by what they come to.
///
/// - Parameters:
///   - root: The object that leads to all others.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
///   - expected: Describes the changes. It's called after the body.
/// - Throws: `KeyValueLogError.notLoggable` if a stored key can't be written, and the closures' errors.
public func expectChanges<Root: KeyValueObservable>(
  ofGraph root: Root, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void, @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) throws {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let log = try KeyValueChangeLog(reading: root)
  try expectChanges(place, body, expected) { $0.observe(log) }
  withExtendedLifetime(log) {}
}

/// Fails unless a closure's changes in a log are exactly the ones described, in their order.
///
/// For a test that has a log of the graph anyway. Otherwise like the expectation of a graph.
///
/// - Parameters:
///   - log: The graph's log.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
///   - expected: Describes the changes. It's called after the body.
/// - Throws: The closures' errors.
public func expectChanges<Root: KeyValueObservable>(
  of log: KeyValueChangeLog<Root>, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void, @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  try expectChanges(place, body, expected) { $0.observe(log) }
}

private func expectChanges(
  _ place: TestPlace, _ body: () throws -> Void, _ expected: () throws -> ExpectedChanges,
  _ observe: (ChangeObserver) -> Void
) rethrows {
  let observer = ChangeObserver()
  observe(observer)
  do {
    try body()
    observer.compare(with: try expected(), at: place)
  } catch {
    observer.end()
    throw error
  }
}
