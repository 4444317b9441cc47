/// Records the changes of chosen keys, and takes them back.
///
/// ```swift
/// let recorder = KeyValueChangeRecorder()
/// try recorder.record(person, "firstName", "books")
/// person.firstName = "Grace"
/// person.mutableArrayValue(for: \.books).append("Notes")
/// try recorder.undo()
/// print(person.firstName, person.books)        // Grace []
/// try recorder.undo()
/// print(person.firstName)                      // Ada
/// try recorder.redo()
/// print(person.firstName)                      // Grace
/// ```
///
/// It knows only what observers are told, and needs nothing from the classes. Each change is undone as
/// what it was: a setting by setting the old value, an insertion by a removal at the same indexes through
/// the proxy, set algebra by its opposite. So observers get the undoing with exact kinds and indexes.
///
/// Undoing is recorded too, and that is what `redo()` takes back. A new change forgets what could be
/// redone. Each change is a level of its own, except in a group or in a transaction.
///
/// It retains old and new values as long as their levels exist, but not the recorded objects. A level
/// whose objects have all died is skipped; of other levels, the changes of dead objects are.
///
/// Limits: what is not announced is not recorded, and a key that is announced by hand is set without an
/// announcement unless its setter makes one. A collection that is changed in place or assigned is
/// recorded as the whole value, one that is changed through a proxy element by element. Observers that
/// change recorded keys in answer to a change do so in answer to its undoing too; group the two, or
/// let such a key depend on the other instead.
///
/// Threading: a recorder and what it records belong to one place, as a document's model does.
///
/// Source of the behaviour: ours; the words are those of Cocoa's `NSUndoManager`.
public final class KeyValueChangeRecorder {
  enum Activity {
    case recording
    case undoing(into: UndoLevel)
    /// Taking back a half-done undo, of which nothing is to be remembered.
    case recovering
  }

  var undoLevels: [UndoLevel] = []
  var redoLevels: [UndoLevel] = []
  /// Changes that have begun and not ended, innermost last.
  var begun: [UndoLevel.Slot] = []
  var activity = Activity.recording
  var openGroup: UndoLevel?
  var groupDepth = 0
  var isInTransaction = false
  /// The transaction that is going to restore the levels when it is rolled back.
  weak var knownTransaction: Transaction?
  // A merged change could not be undone: it may concern another object's key than the first of its parts
  // does.
  lazy var observer = KeyValueObserverController(owner: self, .immediate)
  /// Of the paths that lead through a collection.
  var elementRecordings: [ElementRecording] = []

  /// How many levels are kept, the newest; 0 is no limit.
  public var levelsOfUndo: Int {
    didSet { trim() }
  }

  /// Creates a recorder of nothing.
  public init(levelsOfUndo: Int = 0) {
    self.levelsOfUndo = levelsOfUndo
  }

  #if DEBUG || KVO_AUDIT
    /// Nil until something is recorded.
    var lifetime: TokenLifetime?

    deinit {
      guard let lifetime else { return }
      observer.reportIfUseless(keptBy: .recorder, since: lifetime)
      for recording in elementRecordings { recording.reportIfUseless(since: lifetime) }
    }
  #endif
}
