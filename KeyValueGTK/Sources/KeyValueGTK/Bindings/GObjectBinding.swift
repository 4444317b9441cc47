import CGtk4
import KeyValueObserving

/// A binding between a key path and the property of a GObject.
///
/// It lives as long as both sides do, so the result of `bind` and `bindTwoWay` need not be kept. Keep it to
/// end the binding earlier, to commit what is being typed, or to ask for the error.
///
/// Source of the behaviour: this library's. ``commit()`` is Cocoa's `commitEditing()`.
@MainActor
public final class GObjectBinding {
  /// When a two-way binding sets the key.
  public enum Commit: Sendable {
    /// After each change of the property: for an entry's text, after each letter.
    case onEachChange
    /// When the user presses Enter, or the focus leaves the widget; or at once, if the property changes
    /// while the widget hasn't the focus.
    ///
    /// An edit is then one change, and one step of a recorder's undo.
    case onEnd
  }

  /// The error that the last change had, until a change has none.
  ///
  /// It's a validator's, or a ``GValueError`` if a text isn't a value of the key's type.
  public private(set) var error: (any Error)?
  /// How many changes had an error.
  private(set) var refusals = 0

  /// Whether the binding passes changes on: it isn't invalidated, and both sides are alive.
  public var isValid: Bool { object != nil && token?.isValid == true }

  /// The GObject while it's alive and the binding isn't invalidated.
  private(set) var object: UnsafeMutablePointer<GObject>?
  let property: UnsafeMutablePointer<GParamSpec>
  /// The key path and the property, for messages.
  let sourceName: String
  let targetName: String
  /// Whether the property is being set by the binding.
  private var isWriting = false
  /// Whether the property is being read, and the key set.
  private var isReading = false
  /// What the binding has set the property to while the property told of a change.
  ///
  /// That's a validator's replacement. GObject may tell of that once more when the outer change ends.
  private var echo: Echo?
  private let selectedItem: SelectedItem?
  /// Whether the key's object isn't in the model that it's to be selected in.
  private var isAbsent = false
  /// Writes the key's value once more.
  private var writeAgain: (() -> Void)?
  /// Where the key's object is looked for while it's written once more.
  private var arrivals: Range<guint>?

  private let onRefusal: (((any Error)?) -> Void)?
  private let commitTime: Commit
  private var token: KeyValueBinding?
  private var side: AnyObject?
  /// The object that the key path begins at.
  private var link: ObjectLink?
  /// Reads the property and sets the key.
  private var read: (() -> Void)?
  private var handlers: [SignalHandler] = []
  private var isFocused = false
  private var isPending = false

  init(
    _ target: GObjectTarget, source: String, commit: Commit = .onEachChange,
    onRefusal: (((any Error)?) -> Void)? = nil
  ) {
    object = target.object
    property = target.property
    sourceName = source
    targetName = target.name
    selectedItem = target.selectedItem
    commitTime = commit
    self.onRefusal = onRefusal
    // Retained until the object dies or the binding ends.
    g_object_weak_ref(target.object, whenObjectDies, Unmanaged.passRetained(self).toOpaque())
  }

  /// Begins to pass changes on.
  ///
  /// - Parameters:
  ///   - token: The library's binding between the key path and the property's value.
  ///   - side: The property's value, which the library's binding doesn't retain.
  ///   - root: The object that the key path begins at, whose death ends the binding.
  ///   - read: Reads the property; nil for a binding that only writes it.
  ///   - writeAgain: Writes the key's value once more; needed only for a selected item.
  func begin(
    _ token: KeyValueBinding, _ side: AnyObject, of root: any KeyValueObservable,
    reading read: (() -> Void)? = nil, writingAgain writeAgain: (() -> Void)? = nil
  ) {
    // The first set of the property may have ended the binding.
    guard let object else { return token.invalidate() }
    self.token = token
    self.side = side
    if token.isValid {
      let link = ObjectLink(root)
      self.link = link
      link.whenObjectDies { [unowned self] in invalidate() }
    }
    guard let read else { return }
    self.read = read
    self.writeAgain = writeAgain
    let name = String(cString: g_param_spec_get_name(property))
    handlers.append(
      SignalHandler("notify::\(name)", of: object, arguments: 1) { [unowned self] in notified() })
    if selectedItem?.ownerTellsOfItems == true {
      handlers.append(
        SignalHandler(forItemsOf: object) { [unowned self] in _ = selectArrived(at: $0) })
    }
    if commitTime == .onEnd, let widget = object.widget { watchEnd(of: widget) }
  }

  // MARK: From the widget

  private func notified() {
    guard !isWriting else { return }
    // The object may have died on another thread, which the main loop hasn't told yet.
    guard token?.isValid == true else { return invalidate() }
    if isAbsent, selectArrived() || selectedItem?.isNone == true { return }
    if commitTime == .onEnd, isFocused {
      isPending = true
    } else {
      readNow()
    }
  }

  /// Selects the key's object if it has entered the model at one of these places; false if it hasn't, or was there
  /// before.
  private func selectArrived(at places: Range<guint> = 0..<guint.max) -> Bool {
    guard isAbsent, !isWriting, !places.isEmpty else { return false }
    arrivals = places
    defer { arrivals = nil }
    writeAgain?()
    return !isAbsent
  }

  private func readNow() {
    isPending = false
    isAbsent = false
    if let echo {
      self.echo = nil
      if echo.isValue(of: property, of: object) { return }
    }
    isReading = true
    read?()
    isReading = false
  }

  /// Sets the key to what has been typed since the last commit, if that's a value.
  ///
  /// Call it with ``Commit/onEnd`` before you save, or close a window. ``error`` is nil afterwards if the key
  /// has what the widget shows.
  public func commit() {
    if isPending { readNow() }
  }

  private func watchEnd(of widget: UnsafeMutablePointer<GtkWidget>) {
    isFocused = widget.hasFocusWithin
    let gObject = UnsafeMutableRawPointer(widget).gObject
    handlers.append(
      SignalHandler("state-flags-changed", of: gObject, arguments: 1) { [unowned self] in
        let wasFocused = isFocused
        isFocused = widget.hasFocusWithin
        if wasFocused, !isFocused { commit() }
      })
    if let activated = activating(gObject) {
      // A text field leaves the widget before the widget tells of its end.
      handlers.append(
        SignalHandler("activate", of: activated, retainsObject: activated != gObject) {
          [unowned self] in commit()
        })
    }
  }

  /// The object that tells of the Enter key: the widget itself, or the text field in it.
  private func activating(
    _ object: UnsafeMutablePointer<GObject>
  ) -> UnsafeMutablePointer<GObject>? {
    if g_signal_lookup("activate", object.type) != 0 { return object }
    guard object.isA(gtk_editable_get_type()),
      let text = gtk_editable_get_delegate(OpaquePointer(object))
    else { return nil }
    return g_signal_lookup("activate", text.gObject.type) != 0 ? text.gObject : nil
  }

  // MARK: To the widget

  /// Sets the property; what was being typed is gone.
  func write(_ body: (UnsafeMutablePointer<GValue>) throws -> Void) {
    MainThread.require("\(sourceName) changed, which is bound to \(targetName),")
    guard let object else { return }
    isPending = false
    do {
      try withGValue(property.pointee.value_type) { value in
        try body(value)
        isWriting = true
        defer { isWriting = false }
        if let selectedItem {
          isAbsent = !selectedItem.select(g_value_get_object(value), arrivedAt: arrivals)
        } else {
          g_object_set_property(object, property.pointee.name, value)
        }
        echo = isReading ? Echo(value) : nil
      }
      accept()
    } catch {
      refuse(error)
    }
  }

  // MARK: Errors

  /// Shows that the key hasn't the property's value.
  func refuse(_ error: any Error) {
    refusals += 1
    self.error = error
    if let onRefusal { return onRefusal(error) }
    if let object { WidgetErrors.show(error, of: self, at: object) }
  }

  /// Shows that the sides agree.
  func accept() {
    guard error != nil else { return }
    error = nil
    if let onRefusal { return onRefusal(nil) }
    if let object { WidgetErrors.remove(of: self, from: object) }
  }

  // MARK: The end

  /// Ends the binding; calling it again does nothing.
  ///
  /// The property keeps its value, and what has been typed but not committed isn't passed on. The widget no
  /// longer shows its error.
  public func invalidate() {
    guard let object else { return }
    for handler in handlers { handler.disconnect() }
    end()
    error = nil
    let retained = Unmanaged.passUnretained(self)
    g_object_weak_unref(object, whenObjectDies, retained.toOpaque())
    WidgetErrors.remove(of: self, from: object)
    // After the last use: this may be the last reference.
    retained.release()
  }

  fileprivate func objectDied() {
    if let object { WidgetErrors.forget(object) }
    for handler in handlers { handler.ownerDied() }
    end()
  }

  private func end() {
    object = nil
    handlers = []
    isPending = false
    (read, writeAgain) = (nil, nil)
    token?.invalidate()
    side = nil
    link?.end()
    link = nil
  }
}

/// GLib calls it while it disposes of an object, after the object has disconnected its handlers.
private let whenObjectDies: GWeakNotify = { data, _ in
  let address = data.map { Int(bitPattern: $0) } ?? 0
  MainActor.assumeIsolated {
    guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
    // The weak reference retains the binding.
    Unmanaged<GObjectBinding>.fromOpaque(data).takeRetainedValue().objectDied()
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// Whether the widget, or one in it, has the focus of its window.
  fileprivate var hasFocusWithin: Bool {
    gtk_widget_get_state_flags(self).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
  }
}
