import KeyValueCore

/// Records how to undo changes, and undoes and redoes them.
///
/// ```swift
/// @KeyValueObservable
/// class Document: NSObject {
///   let undoManager = UndoManager()
///   dynamic var title = "Untitled" {
///     didSet {
///       undoManager.registerUndo(withTarget: self) { $0.title = oldValue }
///       undoManager.setActionName("Rename")
///     }
///   }
/// }
/// let document = Document()
/// document.title = "Report"
/// print(document.undoManager.undoMenuItemTitle)    // Undo Rename
/// document.undoManager.undo()
/// print(document.title)                            // Untitled
/// document.undoManager.redo()
/// print(document.title)                            // Report
/// ```
///
/// **Groups.** Registered actions are collected in groups; `undo()` undoes the last group as a whole. With
/// ``groupsByEvent``, which is the default, the first registration opens a group, and so does the first
/// `beginUndoGrouping()` while a run loop is running. It closes at the end of the run loop's current pass. If no run loop is
/// running, `undo()` or `endUndoGrouping()` closes it.
///
/// **Targets** are referenced weakly. A deallocated target's action is skipped, where Cocoa's would crash, and later
/// registrations drop it. An object that a removed handler captured may call the manager in its `deinit`.
///
/// Threading: use a manager on one thread at a time, as in Cocoa. Handlers and notifications run on that
/// thread. Cost: registering is O(1) on average; closing an outermost group is linear in ``levelsOfUndo``, where that
/// isn't 0; undoing is linear in the actions of the group.
///
/// Source of the behaviour: Apple's documentation of `UndoManager`, which Foundation for Linux lacks. Unlike
/// in Cocoa, a group without actions is dropped when it closes, so it can't be undone.
open class UndoManager: NSObject {
  private let undoStack = UndoStack()
  private let redoStack = UndoStack()
  /// The groups that are open, outermost first.
  private var open: [UndoGroup] = []
  /// The groups that were open before an undo or a redo, which collects in groups of its own.
  private var outer: [UndoGroup] = []
  /// What the running handlers' registrations are collected for.
  private var collecting: Collecting?
  private var disabledCount = 0
  /// Whether the run loop will close the group that a registration opened.
  private var closesWithEvent = false
  /// Whether a checkpoint is being posted, in which another one isn't.
  private var isAtCheckpoint = false
  /// Whether `undo()` has posted the checkpoint of the `undoNestedGroup()` that it calls.
  private var hasPostedCheckpoint = false

  private enum Collecting { case undoing, redoing }

  /// Creates a manager without actions.
  public override init() {
    super.init()
  }

  /// Lists the keys that can be read, by hand, because none of them is announced.
  open override class func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    super._$kvoDefineKeys(in: schema)
    schema.computed(
      "canUndo", \UndoManager.canUndo, get: { (object: UndoManager) in object.canUndo })
    schema.computed(
      "canRedo", \UndoManager.canRedo, get: { (object: UndoManager) in object.canRedo })
    schema.computed(
      "isUndoing", \UndoManager.isUndoing, get: { (object: UndoManager) in object.isUndoing })
    schema.computed(
      "isRedoing", \UndoManager.isRedoing, get: { (object: UndoManager) in object.isRedoing })
    schema.computed(
      "groupingLevel", \UndoManager.groupingLevel,
      get: { (object: UndoManager) in object.groupingLevel })
    schema.computed(
      "groupsByEvent", \UndoManager.groupsByEvent,
      get: { (object: UndoManager) in object.groupsByEvent }, set: { $0.groupsByEvent = $1 })
    schema.computed(
      "levelsOfUndo", \UndoManager.levelsOfUndo,
      get: { (object: UndoManager) in object.levelsOfUndo }, set: { $0.levelsOfUndo = $1 })
    schema.computed(
      "isUndoRegistrationEnabled", \UndoManager.isUndoRegistrationEnabled,
      get: { (object: UndoManager) in object.isUndoRegistrationEnabled })
    schema.computed(
      "undoActionName", \UndoManager.undoActionName,
      get: { (object: UndoManager) in object.undoActionName })
    schema.computed(
      "redoActionName", \UndoManager.redoActionName,
      get: { (object: UndoManager) in object.redoActionName })
    schema.computed(
      "undoMenuItemTitle", \UndoManager.undoMenuItemTitle,
      get: { (object: UndoManager) in object.undoMenuItemTitle })
    schema.computed(
      "redoMenuItemTitle", \UndoManager.redoMenuItemTitle,
      get: { (object: UndoManager) in object.redoMenuItemTitle })
    schema.addCocoaName(of: "isUndoing", \UndoManager.isUndoing)
    schema.addCocoaName(of: "isRedoing", \UndoManager.isRedoing)
    schema.addCocoaName(
      of: "isUndoRegistrationEnabled", \UndoManager.isUndoRegistrationEnabled)
  }

  // MARK: Groups

  /// Whether a registration outside any group opens one, which closes at the end of the run loop's pass.
  ///
  /// The default is true. Without a running run loop, `undo()` or `endUndoGrouping()` closes the group. If
  /// this is false, registering outside a group raises an `NSInternalInconsistencyException`.
  open var groupsByEvent = true

  /// The run loop modes in which the group of an event closes.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  /// The number of open groups.
  open var groupingLevel: Int { open.count }

  /// Opens a group inside the innermost open one.
  ///
  /// With ``groupsByEvent`` and a running run loop, the outermost group is the event's, which this opens first. So all
  /// groups of one event are undone together.
  ///
  /// Posts `NSUndoManagerCheckpoint`, except during an undo, and `NSUndoManagerDidOpenUndoGroup`, except during an undo
  /// or a redo.
  open func beginUndoGrouping() {
    if open.isEmpty, groupsByEvent, isUndoRegistrationEnabled, collecting == nil, isInRunLoop {
      joinEvent()
    }
    if collecting != .undoing { postCheckpoint() }
    openGroup()
  }

  /// Closes the innermost group, which becomes a part of the group around it, or can be undone.
  ///
  /// Posts `NSUndoManagerCheckpoint` and, except during an undo or a redo, `NSUndoManagerWillCloseUndoGroup` and
  /// `NSUndoManagerDidCloseUndoGroup`. So a document that counts closed groups, undos and redos knows whether it has
  /// been edited. Raises an `NSInternalInconsistencyException` if no group is open.
  open func endUndoGrouping() {
    guard !open.isEmpty else {
      raise("endUndoGrouping called with no matching begin")
    }
    postCheckpoint()
    guard
      let discardable = open.last.map({ [NSUndoManagerGroupIsDiscardableKey: $0.isDiscardable] })
    else { return }
    if collecting == nil { post(.NSUndoManagerWillCloseUndoGroup, discardable) }
    guard let group = open.popLast() else { return }
    if let outer = open.last {
      outer.take(group)
      // The end of the pass in which it opened the event's group came before.
      if open.count == 1, outer.isOfEvent { joinEvent() }
    } else {
      // Undoing and redoing collect in a group of their own while the event's stays open.
      if group.isOfEvent { closesWithEvent = false }
      if collecting == .undoing { redoStack.push(group) } else { undoStack.push(group) }
      trim()
    }
    if collecting == nil { post(.NSUndoManagerDidCloseUndoGroup, discardable) }
  }

  private func openGroup() {
    open.append(UndoGroup())
    if collecting == nil { post(.NSUndoManagerDidOpenUndoGroup) }
  }

  private var isInRunLoop: Bool {
    #if canImport(Darwin)
      true
    #else
      RunLoop.current.currentMode != nil
    #endif
  }

  /// Opens the current event's group if none is open, and has the run loop close it.
  private func joinEvent() {
    if open.isEmpty {
      if !groupsByEvent { raise("must begin a group before registering undo") }
      openGroup()
      open[0].isOfEvent = true
    }
    guard open[0].isOfEvent, !closesWithEvent, isInRunLoop else { return }
    closesWithEvent = true
    let manager = WeakManager(manager: self)
    RunLoop.current.perform(inModes: runLoopModes) { manager.manager?.endEvent() }
  }

  fileprivate func endEvent() {
    guard closesWithEvent else { return }
    closesWithEvent = false
    if open.count == 1, open[0].isOfEvent, collecting == nil { endUndoGrouping() }
  }

  // MARK: Registering

  /// Records how to undo a change.
  ///
  /// What the handler registers while it runs becomes the redo. A registration outside undo and redo
  /// clears the redo stack. Raises an `NSInternalInconsistencyException` if no group is open and
  /// ``groupsByEvent`` is false.
  ///
  /// - Parameters:
  ///   - target: The handler's argument. It's referenced weakly.
  ///   - handler: Undoes the change. It must not retain the target.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    joinEvent()
    open.last?.add(UndoAction(target, handler))
    if collecting == nil { redoStack.removeAll() }
  }

  /// Unavailable: invocations need Objective-C.
  @available(*, unavailable, message: "Write registerUndo(withTarget:handler:)")
  public func prepare(withInvocationTarget target: Any) -> Any {
    fatalError("unavailable")
  }

  /// Stops recording until ``enableUndoRegistration()`` has been called as often.
  open func disableUndoRegistration() {
    disabledCount += 1
  }

  /// Reverts one ``disableUndoRegistration()``; raises an exception if there is none.
  open func enableUndoRegistration() {
    if disabledCount == 0 {
      raise(
        "enableUndoRegistration may only be invoked with matching call to disableUndoRegistration")
    }
    disabledCount -= 1
  }

  /// Whether registrations are recorded.
  open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

  /// Removes everything that can be undone or redone, and enables registration.
  ///
  /// Groups opened by `beginUndoGrouping()` stay open, without actions.
  open func removeAllActions() {
    undoStack.removeAll()
    redoStack.removeAll()
    disabledCount = 0
    for group in outer + open { group.removeAll() }
    if open.count == 1, open[0].isOfEvent, collecting == nil {
      // The end of a value attached to the group may call this object.
      let closed = open
      open = []
      withExtendedLifetime(closed) {}
    }
  }

  /// Removes the actions registered with a target.
  open func removeAllActions(withTarget target: Any) {
    let target = target as AnyObject
    undoStack.remove(target)
    redoStack.remove(target)
    for group in outer + open { group.remove(target) }
  }

  /// The maximum number of groups that can be undone; 0, the default, means no limit.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoStack.trim(to: levelsOfUndo)
    redoStack.trim(to: levelsOfUndo)
  }

  // MARK: Undoing

  /// Whether there are actions to undo; nested groups may have to be closed first.
  open var canUndo: Bool { lastUndo != nil }

  /// Whether there are actions to redo; posts `NSUndoManagerCheckpoint` first, unless that is being posted.
  open var canRedo: Bool {
    postCheckpoint()
    return redoStack.last != nil
  }

  /// The number of groups that can be undone.
  open var undoCount: Int { undoStack.count + (lastOpen == nil ? 0 : 1) }

  /// The number of groups that can be redone.
  open var redoCount: Int { redoStack.count }

  /// Whether an undo is running, from before `NSUndoManagerWillUndoChange` until after `NSUndoManagerDidUndoChange`.
  open private(set) var isUndoing = false

  /// Whether a redo is running, from before `NSUndoManagerWillRedoChange` until after `NSUndoManagerDidRedoChange`.
  open private(set) var isRedoing = false

  /// Closes the open group, if it's the outermost one, and undoes the last group.
  ///
  /// Posts `NSUndoManagerCheckpoint` first: what its observers register is undone, too. Raises an
  /// `NSInternalInconsistencyException` if a nested group is open, or while handlers run in an undo or a redo.
  open func undo() {
    postCheckpoint()
    if open.count > 1 || collecting != nil {
      raise("undo was called with too many nested undo groups")
    }
    if open.count == 1 { endUndoGrouping() }
    hasPostedCheckpoint = true
    undoNestedGroup()
    hasPostedCheckpoint = false
  }

  /// Undoes the last closed group, nested or not; the changes it registers are redone as one group.
  ///
  /// Posts `NSUndoManagerCheckpoint`, `NSUndoManagerWillUndoChange` and `NSUndoManagerDidUndoChange`. Raises
  /// an `NSInternalInconsistencyException` if the open group ends with an action outside a closed group, or
  /// while handlers run in an undo or a redo.
  open func undoNestedGroup() {
    if !hasPostedCheckpoint { postCheckpoint() }
    hasPostedCheckpoint = false
    if collecting != nil { raise("undoNestedGroup was called during undo or redo") }
    guard let group = lastClosedGroup() else { return }
    let before = (isUndoing, isRedoing)
    (isUndoing, isRedoing) = (true, false)
    post(.NSUndoManagerWillUndoChange)
    perform(group, collecting: .undoing)
    post(.NSUndoManagerDidUndoChange)
    (isUndoing, isRedoing) = before
  }

  /// Redoes the change that was undone last, as one group to undo.
  ///
  /// Posts `NSUndoManagerCheckpoint`, `NSUndoManagerWillRedoChange` and `NSUndoManagerDidRedoChange`. Raises
  /// an `NSInternalInconsistencyException` while handlers run in an undo or a redo.
  open func redo() {
    postCheckpoint()
    if collecting != nil { raise("redo was called during undo or redo") }
    guard let group = redoStack.pop() else { return }
    let before = (isUndoing, isRedoing)
    (isUndoing, isRedoing) = (false, true)
    post(.NSUndoManagerWillRedoChange)
    perform(group, collecting: .redoing)
    post(.NSUndoManagerDidRedoChange)
    (isUndoing, isRedoing) = before
  }

  private func lastClosedGroup() -> UndoGroup? {
    guard let current = open.last else { return undoStack.pop() }
    if current.isEmpty { return nil }
    guard let group = current.popClosedGroup() else {
      raise(
        "undoNestedGroup was called while undo operations are registered outside a closed group")
    }
    return group
  }

  /// Runs a group's actions, last one first, and collects what they register.
  private func perform(_ group: UndoGroup, collecting: Collecting) {
    outer = open
    open = []
    self.collecting = collecting
    beginUndoGrouping()
    open.first?.inherit(group)
    group.perform()
    while !open.isEmpty { endUndoGrouping() }
    self.collecting = nil
    open = outer
    outer = []
  }

  // MARK: Names

  /// The action name that the Undo command shows, or an empty string.
  open var undoActionName: String { lastUndo?.name ?? "" }

  /// The action name that the Redo command shows, or an empty string.
  open var redoActionName: String { redoStack.last?.name ?? "" }

  /// Names the open group.
  ///
  /// If none is open, this opens the event's group; if ``groupsByEvent`` is false, it does nothing. It also does
  /// nothing while registration is disabled.
  open func setActionName(_ actionName: String) { joinedGroup()?.setName(actionName) }

  /// The title of the Undo command: `Undo Rename`.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// The title of the Redo command: `Redo Rename`.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// The title of the Undo command for an action; override it to translate the title.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// The title of the Redo command for an action; override it to translate the title.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  /// Marks the group that ``setActionName(_:)`` would name as needing no saving.
  open func setActionIsDiscardable(_ discardable: Bool) {
    joinedGroup()?.isDiscardable = discardable
  }

  /// Whether the group that is undone next needs no saving.
  open var undoActionIsDiscardable: Bool { lastUndo?.isDiscardable ?? false }

  /// Whether the group that is redone next needs no saving.
  open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

  /// The key of a value attached to a group.
  public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The key's name.
    public let rawValue: String
    /// Creates a key by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Attaches a value to the group that ``setActionName(_:)`` would name.
  open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
    joinedGroup()?.updateUserInfo { $0[key] = info }
  }

  /// The value attached to the group that is undone next.
  open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { lastUndo?.userInfo[key] }

  /// The value attached to the group that is redone next.
  open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
    redoStack.last?.userInfo[key]
  }

  private var lastUndo: UndoGroup? { lastOpen ?? undoStack.last }

  /// The open group that can be undone; during an undo, open groups collect the redo.
  private var lastOpen: UndoGroup? {
    collecting == .undoing ? nil : open.last(where: \.isAlive)
  }

  /// The group that receives a name: the innermost open one, or else the event's, which is opened.
  private func joinedGroup() -> UndoGroup? {
    guard isUndoRegistrationEnabled else { return nil }
    if groupsByEvent { joinEvent() }
    return open.last
  }

  // MARK: Support

  /// Posts the checkpoint, unless an observer of it is being called: that may ask for `canRedo`.
  private func postCheckpoint() {
    if isAtCheckpoint { return }
    isAtCheckpoint = true
    post(.NSUndoManagerCheckpoint)
    isAtCheckpoint = false
  }

  private func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }

  private func raise(_ reason: String) -> Never {
    Exception.internalInconsistency.raise(
      "\(Exception.address(of: self)) is in invalid state, \(reason)")
  }
}

/// References a manager until the end of the run loop's pass.
// Checked by hand: the run loop calls back on the thread that the manager is used on.
private struct WeakManager: @unchecked Sendable {
  weak var manager: UndoManager?
}
