import KeyValueCore
import Testing

/// A failure that an expectation has reported.
struct Failure: Equatable, CustomStringConvertible {
  let message: String
  let file: String
  let line: Int

  var description: String { "\(file):\(line): \(message)" }
}

/// The failures of a closure, which aren't the test's.
func failures(_ body: () throws -> Void) rethrows -> [Failure] {
  let list = FailureList()
  try withKnownIssue(isIntermittent: true) {
    try body()
  } matching: {
    list.add($0)
  }
  return list.all
}

/// The failures of an asynchronous closure, which aren't the test's.
func failures(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async rethrows -> [Failure] {
  let list = FailureList()
  try await withKnownIssue(isIntermittent: true) {
    try await body()
  } matching: {
    list.add($0)
  }
  return list.all
}

private final class FailureList: Sendable {
  private let failures = LockedValue<[Failure]>([])

  var all: [Failure] { failures.withLock { $0 } }

  func add(_ issue: Issue) -> Bool {
    let failure = Failure(
      message: issue.comments.map(\.rawValue).joined(separator: "\n"),
      file: issue.sourceLocation?.fileName ?? "", line: issue.sourceLocation?.line ?? 0)
    failures.withLock { $0.append(failure) }
    return true
  }
}

/// The failure of an expectation that begins on the line of this call.
func failure(
  _ message: String, file: String = #fileID, at line: Int
) -> [Failure] {
  [Failure(message: message, file: String(file.split(separator: "/").last ?? ""), line: line)]
}
