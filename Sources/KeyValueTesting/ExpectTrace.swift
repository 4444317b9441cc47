/// Fails unless a closure leads to exactly these changes and calls, as text.
///
/// ```swift
/// expectTrace {
///   person.firstName = "Grace"
/// } is: {
///   """
///   Person.firstName is set: "Ada" -> "Grace"
///     Person.fullName: closure is told, Person.fullName through firstName: "Grace Lovelace"
///   """
/// }
/// ```
///
/// A line is a change, a call, a registration or its end, a death, or a violation; what it led to is indented.
/// Objects are named by their classes, with a number from the second of a class on. Times, addresses and lines
/// of source code are left out, so the text is the same in each run. For an empty text, the failure has the one to
/// paste.
///
/// The trace covers the calling thread, and tasks that the closure starts, until the closure returns.
///
/// - Parameters:
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
///   - expected: Returns the text.
/// - Throws: The closures' errors.
public func expectTrace(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: () throws -> Void, is expected: () throws -> String
) rethrows {
  let trace = try KeyValueTrace.recording { try body() }
  expectTrace(
    trace, is: try expected(), fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Fails unless a closure leads to exactly these changes and calls, as a string.
///
/// ```swift
/// expectTrace({ person.age = 37 }, is: "Person.age is set: 36 -> 37")
/// ```
///
/// After a trailing closure Swift takes only closures, so `expectTrace { … } is: "…"` doesn't compile.
///
/// - Parameters:
///   - body: Makes the changes.
///   - expected: The text.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
/// - Throws: The closure's error.
public func expectTrace(
  _ body: () throws -> Void, is expected: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) rethrows {
  let trace = try KeyValueTrace.recording { try body() }
  expectTrace(
    trace, is: expected, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Fails unless a closure leads to exactly these changes and calls, as a string in front of the closure.
///
/// ```swift
/// expectTrace(is: "Person.age is set: 36 -> 37") { person.age = 37 }
/// ```
///
/// - Parameters:
///   - expected: The text.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Makes the changes.
/// - Throws: The closure's error.
public func expectTrace(
  is expected: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column, _ body: () throws -> Void
) rethrows {
  let trace = try KeyValueTrace.recording { try body() }
  expectTrace(
    trace, is: expected, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Fails unless a trace consists of exactly these changes and calls, as text.
///
/// For a trace of an asynchronous closure:
///
/// ```swift
/// let trace = await KeyValueTrace.recording { await download.start() }
/// expectTrace(trace, is: """
///   Download.progress is set: 0.0 -> 1.0
///   """)
/// ```
///
/// - Parameters:
///   - trace: The trace.
///   - expected: The text.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
public func expectTrace(
  _ trace: KeyValueTrace, is expected: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let traced = trace.stableLines
  let described = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  if traced == described || traced.isEmpty && expected.isEmpty { return }
  if expected.isEmpty {
    return place.fail("The trace's text, to paste:\n" + traced.joined(separator: "\n"))
  }
  let difference = Difference(described.count, traced.count) { described[$0] == traced[$1] }
  place.fail(
    "The trace isn't the one described (- described, + traced):\n"
      + difference.text(
        both: { traced[$0] }, described: { described[$0] }, happened: { traced[$0] }))
}

extension KeyValueTrace {
  /// One line for each event that isn't only another one's end, the same in each run.
  fileprivate var stableLines: [String] {
    let base = events.map(\.depth).min() ?? 0
    var newValues: [UInt64: Value] = [:]
    for event in events where event.kind == .changeEnded {
      if let change = event.cause, let value = event.newValue { newValues[change] = value }
    }
    var text = StableText()
    return events.compactMap { event in
      guard let line = event.stableText(newValue: newValues[event.id] ?? event.newValue) else {
        return nil
      }
      return String(repeating: "  ", count: event.depth - base) + text.naming(line)
    }
  }
}

extension KeyValueTrace.Event {
  /// The event without times and places; nil for the end of another.
  fileprivate func stableText(newValue: KeyValueTrace.Value?) -> String? {
    let object = object.map { "\($0)" } ?? "?"
    let subject = keyPath.isEmpty ? object : "\(object).\(keyPath)"
    let observer = registration?.name ?? "observer"
    let way = way.isEmpty ? "" : ", " + way.map { "\($0)" }.joined(separator: ", ")
    let values = KeyValueTrace.Event.text(old: oldValue, new: newValue)
    switch kind {
    case .changeEnded, .returned: return nil
    case .registered: return "\(subject): \(observer) is registered"
    case .ended: return "\(subject): \(observer) ends"
    case .changeBegan: return "\(subject) \(verb)\(values)"
    case .delivered:
      let call = isPrior ? "is told in advance" : "is told"
      let elsewhere = destination.map { " on \($0)" } ?? ""
      return "\(subject): \(observer) \(call)\(elsewhere)\(way)\(values)"
    case .deferred:
      return "\(subject): \(observer) waits for \(destination ?? "the transaction's end")\(way)"
    case .skipped:
      return "\(subject): \(observer) isn't told, because \(reason.map { "\($0)" } ?? "?")"
    case .died: return "\(object) dies"
    case .violation: return "violation: \(KeyValueTrace.oneLine(message ?? ""))"
    }
  }
}

/// Replaces objects' addresses by numbers.
private struct StableText {
  private var names = NumberedNames<Substring>()

  /// The text with `Employee` for `Employee@0x6000`, and with `Employee 2` for the next one of the class.
  mutating func naming(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let mark = rest.firstRange(of: "@0x") {
      let before = rest[..<mark.lowerBound]
      let address = rest[mark.upperBound...].prefix(while: \.isHexDigit)
      let className = className(endingIn: before)
      result += before.dropLast(className.count)
      result += names.name(
        of: rest[className.startIndex..<address.endIndex], String(className))
      rest = rest[address.endIndex...]
    }
    return result + rest
  }

  /// The class's name at a text's end, with its generic arguments.
  private func className(endingIn text: Substring) -> Substring {
    var start = text.endIndex
    var depth = 0
    while start > text.startIndex {
      let index = text.index(before: start)
      let character = text[index]
      if character == ">", depth > 0 || start == text.endIndex {
        // An argument may be a function's type.
        if !text[..<index].hasSuffix("-") { depth += 1 }
      } else if character == "<", depth > 0 {
        depth -= 1
      } else if depth == 0, !character.isLetter, !character.isNumber, character != "_" {
        break
      }
      start = index
    }
    return depth == 0 ? text[start...] : text.suffix(0)
  }
}
