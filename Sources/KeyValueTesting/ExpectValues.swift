/// Fails unless a sequence's values are the listed ones.
///
/// ```swift
/// try await expectValues(of: person.kvo.age.values(), within: .seconds(1)) {
///   person.age = 37
/// } are: {
///   [36, 37]
/// }
/// ```
///
/// The values are those that the sequence has from its beginning until there are as many as are listed, until it
/// ends, or until the limit has passed after the closure. If none are listed, this waits for the end or the
/// limit. The sequence's first value is awaited before the closure runs if `startsWithValue` is true, because a
/// sequence such as `values()` keeps only its newest value for a loop that's late.
///
/// - Parameters:
///   - sequence: The sequence.
///   - limit: How long to wait after the closure.
///   - startsWithValue: Whether the sequence has a first value before anything changes.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes, or starts what makes them.
///   - expected: Lists the values, in their order.
/// - Throws: The closures' errors.
public func expectValues<Values: AsyncSequence & Sendable>(
  of sequence: Values, within limit: Duration, startsWithValue: Bool = true,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void, are expected: () throws -> [Values.Element]
) async rethrows {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let arrivals = Arrivals<ValueSnapshot>()
  let loop = Task {
    do {
      for try await value in sequence { arrivals.append(ValueSnapshot(value)) }
    } catch {
      // A sequence may throw because it's cancelled, below.
      if !Task.isCancelled { place.fail("The sequence ends with an error: \(error)") }
    }
    arrivals.finish()
  }
  defer { loop.cancel() }
  if startsWithValue { await arrivals.wait(for: 1, within: limit) }
  try await body()
  let expected = try expected().map { ValueSnapshot($0) }
  await arrivals.wait(for: expected.count, within: limit)
  let names = ObjectNames()
  let values = arrivals.all
  if expected.count == values.count, zip(expected, values).allSatisfy({ $0.equals($1) }) { return }
  let difference = Difference(expected.count, values.count) { expected[$0].equals(values[$1]) }
  place.fail(
    "The sequence's values aren't the ones listed (- listed, + received):\n"
      + difference.text(
        both: { values[$0].text(names) }, described: { expected[$0].text(names) },
        happened: { values[$0].text(names) }))
}
