/// A change that a test describes; what it leaves out may be anything.
///
/// ``change(_:fileID:line:)`` and the functions beside it make one.
public struct ExpectedChange {
  let subject: ChangeSubject
  let kind: KeyValueChangeKind
  var indexes: RangeSet<Int>?
  var old: ValueSnapshot?
  var new: ValueSnapshot?
  var isPrior = false
  let place: KeyValueTrace.Place?

  func matches(_ change: AnnouncedChange) -> Bool {
    kind == change.kind && isPrior == change.isPrior && subject.isSame(as: change.subject)
      && (indexes == nil || indexes == change.indexes)
      && isMet(old, by: change.old, change.isLogged) && isMet(new, by: change.new, change.isLogged)
  }

  private func isMet(
    _ expected: ValueSnapshot?, by value: ValueSnapshot?, _ isLogged: Bool
  ) -> Bool {
    guard let expected else { return true }
    guard let value else { return false }
    return value.equals(isLogged ? expected.asLogged : expected)
  }

  func text(_ names: ObjectNames) -> String {
    changeText(subject, kind, indexes, old: old, new: new, isPrior: isPrior, names)
  }
}

/// The changes that a test describes, in their order.
public struct ExpectedChanges {
  enum Step {
    case one(ExpectedChange)
    case inAnyOrder([ExpectedChange])
  }

  var steps: [Step]

  /// All of the changes.
  var all: [ExpectedChange] {
    steps.flatMap { step in
      switch step {
      case .one(let change): [change]
      case .inAnyOrder(let changes): changes
      }
    }
  }
}

/// Puts together the changes that a test describes; conditions and loops may choose them.
@resultBuilder
public enum ExpectedChangesBuilder {
  /// Makes a list of one change.
  public static func buildExpression(_ change: ExpectedChange) -> ExpectedChanges {
    ExpectedChanges(steps: [.one(change)])
  }

  /// Takes a list of changes as it is.
  public static func buildExpression(_ changes: ExpectedChanges) -> ExpectedChanges { changes }

  /// Makes one list of several.
  public static func buildBlock(_ parts: ExpectedChanges...) -> ExpectedChanges {
    buildArray(parts)
  }

  /// Makes one list of those of a loop.
  public static func buildArray(_ parts: [ExpectedChanges]) -> ExpectedChanges {
    ExpectedChanges(steps: parts.flatMap(\.steps))
  }

  /// Makes an empty list where there's none.
  public static func buildOptional(_ part: ExpectedChanges?) -> ExpectedChanges {
    part ?? ExpectedChanges(steps: [])
  }

  /// Takes the list of a branch.
  public static func buildEither(first part: ExpectedChanges) -> ExpectedChanges { part }

  /// Takes the list of a branch.
  public static func buildEither(second part: ExpectedChanges) -> ExpectedChanges { part }
}
