/// Observes what an expectation is about, and keeps what's announced.
final class ChangeObserver {
  let changes = Arrivals<AnnouncedChange>()
  let names = ObjectNames()
  private var observations: [KeyValueObservation] = []
  private var observed: [ChangeSubject] = []
  /// What an observed graph consists of, if it's one.
  private var graph: ObservedGraph?
  /// Lets the observers find out where a change was made.
  private let tracing: KeyValueTrace.Token?

  init() {
    tracing = CallSites.areRecorded ? KeyValueTrace.observe { _ in } : nil
  }

  // MARK: Observing

  func observe<Object: KeyValueObservable, Value>(
    _ path: KeyValueBoundPath<Object, Value>, _ options: KeyValueObservingOptions,
    _ place: TestPlace
  ) {
    let subject = ChangeSubject(path)
    observed.append(subject)
    _ = subject.text(names)
    let (changes, names) = (changes, names)
    observations.append(
      path.observe(options: options, fileID: place.fileID, line: place.line) { object, change in
        changes.append(
          AnnouncedChange(change, of: object, subject, at: ChangeObserver.currentPlace, names))
      })
  }

  /// Observes every key of an object.
  func observe(
    _ object: some KeyValueObservable, _ options: KeyValueObservingOptions, _ place: TestPlace
  ) {
    for key in type(of: object).keyValueKeys {
      do {
        observe(try object.kvo(key), options, place)
      } catch {
        place.fail("\(type(of: object)).\(key) can't be observed: \(error)")
      }
    }
  }

  func observe<Root: KeyValueObservable>(_ log: KeyValueChangeLog<Root>) {
    let graph = ObservedGraph(log, names)
    self.graph = graph
    let changes = changes
    observations.append(
      log.observe { record in
        for change in graph.changes(record, at: ChangeObserver.currentPlace) {
          changes.append(change)
        }
      })
  }

  /// The place of the change that's being announced, if call sites are recorded.
  private static var currentPlace: KeyValueTrace.Place? {
    guard CallSites.areRecorded else { return nil }
    return KeyValueTrace.cause.events.last { $0.kind == .changeBegan }?.place
  }

  func end() {
    for observation in observations { observation.invalidate() }
    tracing?.invalidate()
  }

  // MARK: Comparing

  /// Ends the observation, and fails if what was announced isn't what's described.
  func compare(with expected: ExpectedChanges, at place: TestPlace) {
    end()
    let comparison = Comparison(expected, changes.all, names)
    if comparison.isMet { return }
    let difference = comparison.difference
    let hint = comparison.unobserved(isObserved).map { "\n" + $0 } ?? ""
    place.fail(
      "The changes aren't the ones described (- described, + announced):\n" + difference + hint)
  }

  private func isObserved(_ subject: ChangeSubject) -> Bool {
    graph?.contains(subject) ?? observed.contains { $0.isSame(as: subject) }
  }
}
