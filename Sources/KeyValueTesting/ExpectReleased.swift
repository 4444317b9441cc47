/// Fails unless everything that a closure returns is released, and what it registered has ended.
///
/// ```swift
/// expectReleased {
///   let person = Person()
///   person.observation = person.kvo.name.observe { [weak person] _, _ in person?.redraw() }
///   return person
/// }
/// ```
///
/// The closure returns a value that leads to objects which nothing else is to retain: an object, or a collection, a
/// tuple, a structure or an enumeration with objects among its elements, stored properties and payloads. What these
/// objects lead to, and what closures capture, isn't looked into. Key paths don't count as objects.
///
/// The closure may also return nothing. In each case, an observation that the closure's task begins in it and that
/// hasn't ended afterwards is a failure. If the closure returns a value that leads to no object, and begins no
/// observation, there's nothing to check, which is a failure, too.
///
/// The failure lists what's registered, by what, and where.
///
/// - Parameters:
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes objects, and uses them.
/// - Throws: The closure's error.
public func expectReleased<Result>(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: () throws -> Result
) rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  var objects: [WeakObject]?
  let trace = try KeyValueTrace.recording {
    objects = weakObjects(in: try body())
  }
  check(Result.self, objects, trace, place)
}

/// Fails unless everything that an asynchronous closure returns is released, and what it registered has ended.
///
/// When the closure has returned, this waits until the limit has passed for objects that other tasks still hold. An
/// observation that another task ends counts as one that hasn't ended. Otherwise like the expectation without a limit.
///
/// - Parameters:
///   - limit: How long to wait after the closure.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes objects, and uses them.
/// - Throws: The closure's error.
public func expectReleased<Result>(
  within limit: Duration, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: () async throws -> Result
) async rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  var objects: [WeakObject]?
  let trace = try await KeyValueTrace.recording {
    objects = weakObjects(in: try await body())
    // A release announces nothing, so it's looked for.
    let end = ContinuousClock.now + limit
    while objects?.contains(where: { $0.object != nil }) == true, ContinuousClock.now < end {
      // A cancelled task doesn't sleep.
      guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { break }
    }
  }
  check(Result.self, objects, trace, place)
}

/// Fails if anything is registered on an object.
///
/// ```swift
/// window.close()
/// expectUnobserved(document)
/// ```
///
/// Observers of any kind count, those whose paths lead through the object too, and so do bindings, change logs
/// and recorders. The failure lists them with the key path, from the object at which it begins, what observes it,
/// and where that was registered.
///
/// - Parameters:
///   - object: The object.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
public func expectUnobserved(
  _ object: some KeyValueObservable, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let registrations = object.registrationTexts
  if registrations.isEmpty { return }
  TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
    .fail("\(type(of: object)) is observed:\n" + listing(registrations))
}

/// The objects that a value leads to, each once and none retained; nil if there's no value.
private func weakObjects(in value: Any) -> [WeakObject]? {
  if value is Void || flattened(value) == nil { return nil }
  var objects: [WeakObject] = []
  var seen: Set<ObjectIdentifier> = []
  var rest = [value]
  while let next = rest.popLast() {
    // A literal key path is an object that's never released.
    guard let value = flattened(next), !(value is AnyKeyPath) else { continue }
    if type(of: value) is AnyClass {
      let object = value as AnyObject
      if seen.insert(ObjectIdentifier(object)).inserted { objects.append(WeakObject(object)) }
    } else {
      rest += Mirror(reflecting: value).children.map { $0.value }.reversed()
    }
  }
  return objects
}

/// Fails if objects are left, or registrations, or if a value led to neither.
private func check(
  _ result: Any.Type, _ objects: [WeakObject]?, _ trace: KeyValueTrace, _ place: TestPlace
) {
  if objects?.isEmpty == true, !trace.events.contains(where: { $0.kind == .registered }) {
    place.fail(
      "There's nothing to check: the closure's result, of type \(result), leads to no object, and nothing was "
        + "registered.")
  }
  let message = survivors(objects ?? [], trace)
  if !message.isEmpty { place.fail(message) }
}

/// What's left of objects, and of the registrations of a trace; empty if nothing is.
private func survivors(_ objects: [WeakObject], _ trace: KeyValueTrace) -> String {
  let names = ObjectNames()
  var sentences: [String] = []
  var listed: Set<String> = []
  for survivor in objects {
    guard let object = survivor.object else { continue }
    let registrations = (object as? any KeyValueObservable)?.registrationTexts ?? []
    listed.formUnion(registrations)
    sentences.append(
      "\(survivor.name(in: names)) is still alive"
        + (registrations.isEmpty
          ? ", and nothing is registered on it." : ". It's observed:\n" + listing(registrations)))
  }
  let ended = Set(trace.events.filter { $0.kind == .ended }.compactMap(\.registration?.number))
  let left = trace.events.filter { event in
    event.kind == .registered && event.registration.map { !ended.contains($0.number) } == true
  }
  .map { event in "\(event.subject): \(event.registration.map { "\($0)" } ?? "")" }
  .filter { !listed.contains($0) }
  if !left.isEmpty { sentences.append("Observations haven't ended:\n" + listing(left)) }
  return sentences.joined(separator: "\n")
}

private func listing(_ lines: [String]) -> String {
  lines.map { "+ \($0)" }.joined(separator: "\n")
}
