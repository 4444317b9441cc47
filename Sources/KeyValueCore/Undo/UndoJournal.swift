/// What a recorder has noted in an open transaction, so that it can forget what is rolled back.
///
/// Confined to the recorder's place, as the recorder.
final class UndoJournal: TransactionParticipant {
  enum Entry {
    /// A change was added to its level.
    case added(UndoLevel.Step)
    /// A level was added at the end of a list, or taken from there.
    case put(UndoLevel, List)
    case taken(UndoLevel, List)
    /// A list of levels was replaced.
    case replaced(List, [UndoLevel])
    case forgotten
  }
  typealias List = ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>

  private weak let recorder: KeyValueChangeRecorder?
  private(set) weak var transaction: Transaction?
  private var entries: [Entry] = []
  /// Whether the transaction's changes are one level.
  var isGroup = false

  init(of recorder: KeyValueChangeRecorder, in transaction: Transaction) {
    self.recorder = recorder
    self.transaction = transaction
  }

  func note(_ entry: Entry) { entries.append(entry) }

  /// Forgets all entries, which a rollback won't revert.
  func forget() {
    // Objects that die with the entries may make changes.
    let forgotten = entries
    entries = forgotten.map { _ in .forgotten }
    withExtendedLifetime(forgotten) {}
  }

  /// The recorder's own, which its observances enter.
  var scope: ChangeScope? { nil }

  var position: Int { entries.count }

  func takeBack(to position: Int) {
    let forgotten = Array(entries[position...])
    entries.removeSubrange(position...)
    for entry in forgotten.reversed() {
      switch entry {
      case .added(let step): step.leaveLevel()
      case .put(let level, let list): recorder?[keyPath: list].removeAll { $0 === level }
      case .taken(let level, let list): recorder?[keyPath: list].append(level)
      case .replaced(let list, let levels):
        recorder?[keyPath: list] = levels
        if list == \.redoLevels { recorder?.redoBeforeLevel = [] }
      case .forgotten: break
      }
    }
    // Objects that die with the changes may make others.
    withExtendedLifetime(forgotten) {}
  }

  func transactionEnds() {}

  func transactionEnded() {
    recorder?.transactionEnded(self)
    forget()
  }
}
