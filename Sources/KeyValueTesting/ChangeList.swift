/// The changes of some paths, to ask for afterwards.
///
/// ```swift
/// let changes = ChangeList(of: company.kvo.name, company.kvo.totalSalary)
/// company.name = "Analytical Engines"
/// print(changes.next()!)     // change(Company.name, old: "Engines", new: "Analytical Engines")
/// changes.expectNext(change(company.kvo.totalSalary))      // fails: there's no other change
/// ```
///
/// At its end, what wasn't asked for is a failure. It ends with ``finish(fileID:filePath:line:column:)``, or when
/// it's released.
///
/// Threading: changes may come from any thread. Ask in one place.
public final class ChangeList {
  private let observer = ChangeObserver()
  /// The graph's log, if the list made one.
  private var log: AnyObject?
  private let place: TestPlace
  private var isFinished = false

  /// Begins to observe paths.
  ///
  /// - Parameters:
  ///   - path: The paths.
  ///   - options: What the observers ask for.
  ///   - fileID: The file of the list.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  public init<each Object: KeyValueObservable, each Value>(
    of path: repeat KeyValueBoundPath<each Object, each Value>,
    options: KeyValueObservingOptions = .described, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
    repeat observer.observe(each path, options, place)
  }

  /// Begins to observe every key of an object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - options: What the observers ask for.
  ///   - fileID: The file of the list.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  public init(
    of object: some KeyValueObservable, options: KeyValueObservingOptions = .described,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
    observer.observe(object, options, place)
  }

  /// Begins to observe an object's graph: all stored keys of all objects that it leads to.
  ///
  /// - Parameters:
  ///   - root: The object that leads to all others.
  ///   - fileID: The file of the list.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  /// - Throws: `KeyValueLogError.notLoggable` if a stored key can't be written.
  public init<Root: KeyValueObservable>(
    ofGraph root: Root, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let log = try KeyValueChangeLog(reading: root)
    self.log = log
    observer.observe(log)
  }

  /// Begins to observe a graph through its log.
  ///
  /// - Parameters:
  ///   - log: The graph's log.
  ///   - fileID: The file of the list.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  public init<Root: KeyValueObservable>(
    of log: KeyValueChangeLog<Root>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
    observer.observe(log)
  }

  deinit { finish(at: place) }

  /// The next change, which then counts as asked for; nil if there's none.
  public func next() -> AnnouncedChange? {
    observer.changes.takeFirst()
  }

  /// The next change, after waiting for it; nil if the limit passes before.
  ///
  /// - Parameters:
  ///   - limit: How long to wait.
  ///   - isolation: The caller's actor.
  /// - Returns: The change.
  public func next(
    within limit: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> AnnouncedChange? {
    await observer.changes.wait(for: 1, within: limit)
    return next()
  }

  /// Takes the next change, and fails unless it's the one described.
  ///
  /// - Parameters:
  ///   - expected: The description.
  ///   - fileID: The file of the expectation.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  public func expectNext(
    _ expected: ExpectedChange, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let comparison = Comparison(
      ExpectedChanges(steps: [.one(expected)]), next().map { [$0] } ?? [], observer.names)
    if comparison.isMet { return }
    TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
      .fail(
        "The next change isn't the one described (- described, + announced):\n"
          + comparison.difference)
  }

  /// Ends the list, and fails if there are changes that weren't asked for.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call.
  ///   - filePath: The same file's path.
  ///   - line: The line there.
  ///   - column: The column there.
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    finish(at: TestPlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func finish(at place: TestPlace) {
    if isFinished { return }
    isFinished = true
    observer.end()
    let comparison = Comparison(
      ExpectedChanges(steps: []), observer.changes.all, observer.names)
    if comparison.isMet { return }
    place.fail("Changes weren't asked for:\n" + comparison.difference)
  }
}
