import KeyValueCore

/// The progress of work, which can be shown, cancelled and observed; the parts of the work form a tree.
///
/// ```swift
/// let overall = Progress(totalUnitCount: 10)
/// let download = Progress(totalUnitCount: 4, parent: overall, pendingUnitCount: 5)
/// let observation = overall.observe(\.fractionCompleted, options: [.old, .new]) { _, change in
///   print(change.oldValue!, change.newValue!)
/// }
/// download.completedUnitCount = 2                  // 0.0 0.25
/// download.completedUnitCount = 4                  // 0.25 0.5
/// print(overall.completedUnitCount)                // 5
/// ```
///
/// The keys `fractionCompleted`, `completedUnitCount`, `totalUnitCount`, `isFinished`, `isIndeterminate`,
/// `isCancelled`, `isPaused`, `isCancellable`, `isPausable`, `kind` and both descriptions can be observed.
/// Only keys whose values differ notify: a child's last unit changes its parent's `completedUnitCount`, other
/// units change only `fractionCompleted`. The keys that depend on them notify with them: both descriptions
/// depend on the counts, and the file keys, `estimatedTimeRemaining` and `throughput` on `userInfo`.
///
/// Threading: all members may be used on any thread. Observers are called on the thread that makes the
/// change, outside locks. If several threads change a tree at once, an observer that reads the property
/// doesn't miss the last state; the values in two simultaneous changes may overlap.
///
/// Cost: a change is linear in the number of ancestors and of their unfinished children. In a tree with unfinished
/// progresses of Foundation's, it's also linear in what is below each progress that has one of them below it.
///
/// Source of the behaviour: Apple's documentation of `Progress`, and Foundation's for Linux. This class hides
/// Foundation's, which can't be observed and isn't safe on several threads.
// Checked by hand: all state is accessed only inside `lock`.
open class Progress: NSObject, @unchecked Sendable {
  /// Foundation's name for the kinds of a progress's file operations.
  public typealias FileOperationKind = Foundation.Progress.FileOperationKind

  /// Guards the state of every progress.
  ///
  /// A tree may change while another thread reads its fraction.
  /// While the lock is held, no object is deallocated. No client code is called, except what a subclass of
  /// Foundation's `Progress` overrides: a child's `isFinished` and `fractionCompleted`.
  static let lock = UnfairLockBox()

  // All guarded by `lock`.
  var state = ProgressState()
  private(set) weak var parent: Progress?
  /// The values that the parent counts with.
  var known = (fraction: ProgressFraction.zero, isFinished: false)
  /// The fraction that the parent counts: what is known, unless a progress below changes without notice.
  var counted: ProgressFraction { state.hasForeign ? state.fraction : known.fraction }
  /// Whether the parent counts the progress as finished.
  var countsAsFinished: Bool { state.hasForeign ? present.isFinished : known.isFinished }
  /// The counts as they're read: with what has finished without notice since the last change.
  var present: ProgressState {
    var present = state
    if present.hasForeign { present.countFinished() }
    return present
  }
  private var flags = ProgressFlags()

  /// Lists the keys by hand instead of with the macro, because each announces itself.
  open override class func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    super._$kvoDefineKeys(in: schema)
    defineKeys(in: schema)
  }

  // MARK: Making one

  /// Creates a progress without units that isn't a part of another.
  public override convenience init() {
    self.init(parent: nil)
  }

  /// Creates a progress inside the one that is current on this thread, if there is one.
  public convenience init(totalUnitCount unitCount: Int64) {
    self.init(parent: Progress.current())
    totalUnitCount = unitCount
  }

  /// Creates a progress as a part of another.
  public convenience init(
    totalUnitCount unitCount: Int64, parent: Progress, pendingUnitCount portion: Int64
  ) {
    self.init(parent: nil)
    totalUnitCount = unitCount
    parent.addChild(self, withPendingUnitCount: portion)
  }

  /// Creates a progress inside the one that is current on this thread, which is the only parent allowed.
  public init(
    parent: Progress?, userInfo: [ProgressUserInfoKey: Any]? = nil
  ) {
    super.init()
    flags.userInfo = userInfo ?? [:]
    guard let parent else { return }
    guard let current = CurrentProgress.all.last, current.progress === parent else {
      Exception.invalidArgument.raise(
        "The parent of a new NSProgress must be the current progress of this thread, or nil.")
    }
    if !current.hasChild {
      current.hasChild = true
      parent.addChild(self, withPendingUnitCount: current.pending)
    }
  }

  /// Creates a progress that isn't a part of another.
  open class func discreteProgress(totalUnitCount unitCount: Int64) -> Progress {
    let progress = Progress(parent: nil)
    progress.totalUnitCount = unitCount
    return progress
  }

  // MARK: Counts

  /// How many units there are to complete; negative if that isn't known.
  open var totalUnitCount: Int64 {
    get { locked { $0.state.total } }
    set { change { $0.state.total = newValue } }
  }

  /// How many units are completed.
  open var completedUnitCount: Int64 {
    get { locked { $0.present.completed } }
    set { change { $0.state.completed = newValue } }
  }

  /// Adds completed units, whatever other threads complete meanwhile.
  func complete(_ count: Int64) {
    change { $0.state.complete(count) }
  }

  /// The completed fraction, including the children's parts.
  open var fractionCompleted: Double { locked { $0.present.fraction.double } }

  /// Whether all units are completed.
  open var isFinished: Bool { locked { $0.present.isFinished } }

  /// Whether it isn't known how much is completed.
  open var isIndeterminate: Bool { locked { $0.present.isIndeterminate } }

  func locked<Result>(_ body: (Progress) -> Result) -> Result {
    Progress.lock.withLock { body(self) }
  }

  // MARK: Children

  /// Makes another progress, which must have no parent yet, a part of this one.
  ///
  /// This progress retains the child until the child has finished. The child is cancelled or paused at once
  /// if this progress is. Raises an `NSInvalidArgumentException` if the child has a parent, or if it's this
  /// progress or one that this is a part of.
  open func addChild(_ child: Progress, withPendingUnitCount inUnitCount: Int64) {
    var (isAncestor, isTaken) = (false, false)
    let ancestors = Progress.lock.withLock { () -> [Progress] in
      let ancestors = chain
      isAncestor = ancestors.contains { $0 === child }
      isTaken = child.hasParent
      // In the same step, so that two threads can't make two progresses parts of each other.
      if !isAncestor, !isTaken {
        child.hasParent = true
        child.parent = self
      }
      return ancestors
    }
    // Outside the lock, because it may be an ancestor's last reference.
    withExtendedLifetime(ancestors) {}
    if isAncestor {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: child)) can't be a child of \(Exception.address(of: self)), which is the "
          + "same progress or a part of it. Add it to a progress outside of it.")
    }
    if isTaken {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: child)) was already the child of another progress.")
    }
    change { $0.state.children.append(.init(progress: child, portion: inUnitCount)) }
    if isCancelled { child.cancel() }
    if isPaused { child.pause() }
  }

  private var hasParent = false

  /// Makes one of Foundation's own progresses a part of this one.
  ///
  /// Its part is counted when `fractionCompleted` is read, here or above, and its units, once it has finished, when
  /// another count is. It doesn't notify, so nothing is announced. Once it has finished, the next change in the tree
  /// announces its units, and the tree no longer retains it.
  ///
  /// What a subclass of Foundation's class overrides is called while a lock is held, so its `isFinished` and
  /// `fractionCompleted` mustn't use this module's progresses.
  public func addChild(
    _ child: Foundation.Progress, withPendingUnitCount inUnitCount: Int64
  ) {
    change { $0.state.foreign.append((child, inUnitCount)) }
    if isCancelled { child.cancel() }
    if isPaused { child.pause() }
  }

  // MARK: The thread's progress

  /// The progress that is current on this thread.
  open class func current() -> Progress? { CurrentProgress.all.last?.progress }

  /// Makes the next progress that is created on this thread a part of this one.
  open func becomeCurrent(withPendingUnitCount unitCount: Int64) {
    if CurrentProgress.all.last?.progress === self {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)) is already the current progress of this thread.")
    }
    CurrentProgress.all.append(CurrentProgress(self, unitCount))
  }

  /// Ends `becomeCurrent(withPendingUnitCount:)`; if no part was created, the units are completed.
  open func resignCurrent() {
    guard let current = CurrentProgress.all.last, current.progress === self else {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)) was not the current progress of this thread.")
    }
    CurrentProgress.all.removeLast()
    if !current.hasChild { complete(current.pending) }
  }

  // MARK: Cancelling and pausing

  /// Whether the work should be abandoned.
  open var isCancelled: Bool { locked { $0.flags.isCancelled } }

  /// Whether the work should pause.
  open var isPaused: Bool { locked { $0.flags.isPaused } }

  /// Whether a way to cancel should be offered; true at first.
  open var isCancellable: Bool {
    get { locked { $0.flags.isCancellable } }
    set {
      set("isCancellable", if: { $0.isCancellable != newValue }) { $0.isCancellable = newValue }
    }
  }

  /// Whether a way to pause should be offered; false at first.
  open var isPausable: Bool {
    get { locked { $0.flags.isPausable } }
    set { set("isPausable", if: { $0.isPausable != newValue }) { $0.isPausable = newValue } }
  }

  /// Called on an unspecified queue when the work is cancelled, or when set after that.
  open var cancellationHandler: (@Sendable () -> Void)? {
    get { locked { $0.flags.cancellation } }
    set {
      update { $0.cancellation = newValue }
      if isCancelled { call(newValue) }
    }
  }

  /// Called on an unspecified queue when the work is paused, or when set after that.
  open var pausingHandler: (@Sendable () -> Void)? {
    get { locked { $0.flags.pausing } }
    set {
      update { $0.pausing = newValue }
      if isPaused { call(newValue) }
    }
  }

  /// Called on an unspecified queue when the work resumes.
  open var resumingHandler: (@Sendable () -> Void)? {
    get { locked { $0.flags.resuming } }
    set { update { $0.resuming = newValue } }
  }

  /// Cancels this progress, then its children.
  open func cancel() {
    if !isCancelled { set("isCancelled", if: { !$0.isCancelled }) { $0.isCancelled = true } }
    call(cancellationHandler)
    for child in children { child.cancel() }
    for child in foreign { child.cancel() }
  }

  /// Pauses this progress, then its children.
  open func pause() {
    if !isPaused { set("isPaused", if: { !$0.isPaused }) { $0.isPaused = true } }
    call(pausingHandler)
    for child in children { child.pause() }
    for child in foreign { child.pause() }
  }

  /// Resumes this progress, then its children.
  open func resume() {
    if isPaused { set("isPaused", if: { $0.isPaused }) { $0.isPaused = false } }
    call(resumingHandler)
    for child in children { child.resume() }
    for child in foreign { child.resume() }
  }

  private var children: [Progress] { locked { $0.state.children.map(\.progress) } }
  private var foreign: [Foundation.Progress] { locked { $0.state.foreign.map(\.progress) } }

  private func call(_ handler: (@Sendable () -> Void)?) {
    if let handler { DispatchQueue.global().async(execute: handler) }
  }

  /// Changes the flags, and announces the key if its value differs.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - differs: Whether the key's new value differs from the one that the flags give. Called outside the lock.
  ///   - body: Makes the change.
  private func set(
    _ key: String, if differs: (ProgressFlags) -> Bool, _ body: (inout ProgressFlags) -> Void
  ) {
    let isPlanned = differs(locked { $0.flags })
    if isPlanned { willChangeValue(forKey: key) }
    let old = update(body)
    if isPlanned {
      didChangeValue(forKey: key)
    } else if differs(old) {
      // Another thread made a change in between.
      willChangeValue(forKey: key)
      didChangeValue(forKey: key)
    }
  }

  /// Changes the flags, and returns the former ones, whose values the caller releases outside the lock.
  @discardableResult
  private func update(_ body: (inout ProgressFlags) -> Void) -> ProgressFlags {
    locked { progress in
      let old = progress.flags
      body(&progress.flags)
      return old
    }
  }

  // MARK: What is shown

  /// The kind of work.
  open var kind: ProgressKind? {
    get { locked { $0.flags.kind } }
    set { set("kind", if: { $0.kind != newValue }) { $0.kind = newValue } }
  }

  /// The text shown for the progress; by default, the completed percentage.
  open var localizedDescription: String! {
    get { locked { $0.flags.description ?? $0.present.generalDescription } }
    set {
      set("localizedDescription", if: { isOther(newValue, $0.description, \.generalDescription) }) {
        $0.description = newValue
      }
    }
  }

  /// The additional text shown; by default, the number of completed units.
  open var localizedAdditionalDescription: String! {
    get { locked { $0.flags.additionalDescription ?? $0.present.generalAdditionalDescription } }
    set {
      set(
        "localizedAdditionalDescription",
        if: { isOther(newValue, $0.additionalDescription, \.generalAdditionalDescription) }
      ) { $0.additionalDescription = newValue }
    }
  }

  /// Whether two texts differ, where nil stands for the general one.
  private func isOther(
    _ text: String?, _ former: String?, _ general: KeyPath<ProgressState, String>
  ) -> Bool {
    let shown = locked { $0.present[keyPath: general] }
    return (text ?? shown) != (former ?? shown)
  }

  /// Adds the keys that the descriptions and the file keys depend on.
  open override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    switch key {
    case "localizedDescription": return keyPaths.union(["fractionCompleted", "isIndeterminate"])
    case "localizedAdditionalDescription":
      return keyPaths.union(["completedUnitCount", "totalUnitCount"])
    case "fileURL", "fileOperationKind", "fileTotalCount", "fileCompletedCount",
      "estimatedTimeRemaining", "throughput":
      return keyPaths.union(["userInfo"])
    default: return keyPaths
    }
  }

  /// The values attached to the progress.
  open var userInfo: [ProgressUserInfoKey: Any] { locked { $0.flags.userInfo } }

  /// Attaches a value to the progress; nil removes it.
  open func setUserInfoObject(_ objectOrNil: Any?, forKey key: ProgressUserInfoKey) {
    let new = Bridging.present(objectOrNil)
    set("userInfo", if: { !Bridging.areEqual(Bridging.present($0.userInfo[key]), new) }) {
      $0.userInfo[key] = objectOrNil
    }
  }

  /// The file that the work is on.
  open var fileURL: URL? {
    get { userInfo[.fileURLKey] as? URL }
    set { setUserInfoObject(newValue, forKey: .fileURLKey) }
  }

  /// The operation on the file.
  open var fileOperationKind: FileOperationKind? {
    get { userInfo[.fileOperationKindKey] as? FileOperationKind }
    set { setUserInfoObject(newValue, forKey: .fileOperationKindKey) }
  }

  /// How many files there are.
  open var fileTotalCount: Int? {
    get { (userInfo[.fileTotalCountKey] as? NSNumber)?.intValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .fileTotalCountKey) }
  }

  /// How many files are completed.
  open var fileCompletedCount: Int? {
    get { (userInfo[.fileCompletedCountKey] as? NSNumber)?.intValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .fileCompletedCountKey) }
  }

  /// The time that the work will still take.
  open var estimatedTimeRemaining: TimeInterval? {
    get { (userInfo[.estimatedTimeRemainingKey] as? NSNumber)?.doubleValue }
    set {
      setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .estimatedTimeRemainingKey)
    }
  }

  /// The number of bytes that are processed per second.
  open var throughput: Int? {
    get { (userInfo[.throughputKey] as? NSNumber)?.intValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .throughputKey) }
  }
}

/// An object that has a progress to be observed.
public protocol ProgressReporting: Foundation.NSObjectProtocol {
  /// The progress of the object's work.
  var progress: Progress { get }
}
