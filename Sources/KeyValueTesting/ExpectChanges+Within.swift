/// Fails unless the changes of these paths that an asynchronous closure leads to are exactly the ones described.
///
/// ```swift
/// try await expectChanges(of: download.kvo.progress, within: .seconds(1)) {
///   try await download.start()
/// } are: {
///   change(download.kvo.progress, old: 0, new: 0.5)
///   change(download.kvo.progress, old: 0.5, new: 1)
/// }
/// ```
///
/// When the closure has returned, this waits until there are as many changes as are described, or until the limit
/// has passed. If no change is described, it waits until the limit has passed. Otherwise like the expectation
/// without a limit.
///
/// - Parameters:
///   - path: The paths.
///   - limit: How long to wait after the closure.
///   - options: What the observers ask for.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes, or starts what makes them.
///   - expected: Describes the changes. It's called after the body, before the wait.
/// - Throws: The closures' errors.
public func expectChanges<each Object: KeyValueObservable, each Value>(
  of path: repeat KeyValueBoundPath<each Object, each Value>, within limit: Duration,
  options: KeyValueObservingOptions = .described,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void,
  @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) async rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let observer = ChangeObserver()
  repeat observer.observe(each path, options, place)
  try await expectChanges(observer, limit, place, isolation, body, expected)
}

/// Fails unless the changes of an object's keys that an asynchronous closure leads to are exactly the ones
/// described.
///
/// Otherwise like the expectation of paths with a limit.
///
/// - Parameters:
///   - object: The object.
///   - limit: How long to wait after the closure.
///   - options: What the observers ask for.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes, or starts what makes them.
///   - expected: Describes the changes. It's called after the body, before the wait.
/// - Throws: The closures' errors.
public func expectChanges(
  of object: some KeyValueObservable, within limit: Duration,
  options: KeyValueObservingOptions = .described,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void,
  @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) async rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let observer = ChangeObserver()
  observer.observe(object, options, place)
  try await expectChanges(observer, limit, place, isolation, body, expected)
}

/// Fails unless the changes of an object's graph that an asynchronous closure leads to are exactly the ones
/// described.
///
/// Otherwise like the expectation of paths with a limit.
///
/// - Parameters:
///   - root: The object that leads to all others.
///   - limit: How long to wait after the closure.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes, or starts what makes them.
///   - expected: Describes the changes. It's called after the body, before the wait.
/// - Throws: `KeyValueLogError.notLoggable` if a stored key can't be written, and the closures' errors.
public func expectChanges<Root: KeyValueObservable>(
  ofGraph root: Root, within limit: Duration,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void,
  @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) async throws {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let log = try KeyValueChangeLog(reading: root)
  let observer = ChangeObserver()
  observer.observe(log)
  try await expectChanges(observer, limit, place, isolation, body, expected)
  withExtendedLifetime(log) {}
}

/// Fails unless the changes in a log that an asynchronous closure leads to are exactly the ones described.
///
/// Otherwise like the expectation of paths with a limit.
///
/// - Parameters:
///   - log: The graph's log.
///   - limit: How long to wait after the closure.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes, or starts what makes them.
///   - expected: Describes the changes. It's called after the body, before the wait.
/// - Throws: The closures' errors.
public func expectChanges<Root: KeyValueObservable>(
  of log: KeyValueChangeLog<Root>, within limit: Duration,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void,
  @ExpectedChangesBuilder are expected: () throws -> ExpectedChanges
) async rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let observer = ChangeObserver()
  observer.observe(log)
  try await expectChanges(observer, limit, place, isolation, body, expected)
}

private func expectChanges(
  _ observer: ChangeObserver, _ limit: Duration, _ place: TestPlace,
  _ isolation: isolated (any Actor)?, _ body: () async throws -> Void,
  _ expected: () throws -> ExpectedChanges
) async rethrows {
  do {
    try await body()
    let expected = try expected()
    await observer.changes.wait(for: expected.all.count, within: limit)
    observer.compare(with: expected, at: place)
  } catch {
    observer.end()
    throw error
  }
}
