/// What one undo takes back: changes in the order in which they began.
final class UndoLevel {
  /// One change, or the record of one.
  class Step {
    // Unowned, because the level sets it to nil when it dies or gives the step away.
    @exclusivity(unchecked) fileprivate(set) unowned(unsafe) var level: UndoLevel?

    /// Removes the change from its level.
    final func leaveLevel() { level?.remove(self) }

    /// Whether the change has happened.
    var isFilled: Bool { true }
    /// Whether undoing it would change anything.
    var isEffective: Bool { true }
    /// Undoes the change, or throws and changes nothing.
    func undo() throws {}
    /// The change that undoing it would make now; nil if that records itself, or there's none.
    var inverse: Step? { nil }
  }

  // Unchecked: as stated in `KeyValueChangeRecorder`.
  @exclusivity(unchecked) private(set) var steps = ShortList<Step>()

  deinit {
    for step in steps { step.level = nil }
  }

  /// What remains if the value that a level left can't be set back.
  static let wayOut = "begin anew with the recorder's removeAll()"

  /// The steps whose changes have happened.
  var filledSteps: [Step] { steps.filter(\.isFilled) }
  /// Whether undoing the level would change anything.
  var isEffective: Bool { steps.contains { $0.isFilled && $0.isEffective } }

  func append(_ step: Step) {
    steps.append(step)
    step.level = self
  }

  /// Moves a step behind others, unless it's there already.
  func move(_ step: Step, behind others: [Step]) {
    var moved = steps.filter { $0 !== step }
    guard let index = moved.lastIndex(where: { moved in others.contains { $0 === moved } }),
      steps.prefix(index + 1).contains(where: { $0 === step })
    else { return }
    moved.insert(step, at: index + 1)
    steps = .many(moved)
  }

  /// Forgets the steps.
  func removeAll() {
    let forgotten = steps
    for step in forgotten { step.level = nil }
    steps = ShortList()
  }

  /// Removes the steps that are meant, and returns them.
  func removeSteps(where isMeant: (Step) -> Bool) -> [Step] {
    let removed = steps.filter(isMeant)
    if removed.isEmpty { return [] }
    for step in removed { step.level = nil }
    steps = .many(steps.filter { !isMeant($0) })
    return removed
  }

  fileprivate func remove(_ step: Step) {
    step.level = nil
    steps.removeLast { $0 === step }
  }
}
