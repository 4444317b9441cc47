import CGtk4
import KeyValueObserving

/// What a mirror does: the GObject that stands for an object of Swift.
///
/// There's at most one for an object. The cycle of its life:
/// - *held*: code of GTK or the program holds a reference to the GObject. The mirror then holds its object.
/// - *waiting*: only the mirror's own reference, a toggle reference, is left, but ``GObjectMirror/of(_:)`` has
///   returned the mirror, or a handler is connected. It holds its object weakly, and ends with it.
/// - *ended*: a row that nothing holds and nothing is connected to ends at once. If its handlers are
///   disconnected after its last reference is gone, it ends when the main loop is idle. The next one is
///   made anew, and can't be told from it.
///
/// So no cycle of objects becomes one of mirrors. `held`, `link` and the observations change on the main
/// thread only.
final class Mirror: InstanceContent {
  private let mirrorClass: MirrorClass
  private let identity: ObjectIdentifier
  /// The object, while the mirror is held.
  private var held: (any KeyValueObservable)?
  /// The object, from when the mirror first waits.
  private var link: ObjectLink?
  /// Whether it observes a key only from when that is read or set while a handler is connected to its signal.
  ///
  /// Rows are many. Other mirrors observe all their keys.
  private var isRow: Bool
  /// By the keys' places.
  private var observations: [Int: KeyValueObservation] = [:]
  /// The list models of list keys that were read, each with a reference.
  private var lists: [Int: UnsafeMutablePointer<GObject>] = [:]

  /// Whether it's among `unsettled`.
  private var isUnsettled = false

  private static var mirrors: [ObjectIdentifier: Mirror] = [:]
  /// The rows that have begun to wait since the main loop was idle.
  private static var unsettled: [Mirror] = []
  private static let notify = g_signal_lookup("notify", kvo_type_object)

  /// The number of mirrors, for tests.
  static var count: Int { mirrors.count }

  /// An object's mirror, with a reference for the caller.
  static func retained(
    of object: any KeyValueObservable, isRow: Bool
  ) -> UnsafeMutablePointer<GObject> {
    let identity = ObjectIdentifier(object)
    if let known = mirrors[identity], known.object === object {
      if !isRow { known.keep() }
      g_object_ref(known.instance)
      return known.instance
    }
    // A mirror that's still there is that of an object which died on another thread.
    let mirror = Mirror(object, identity)
    mirrors[identity] = mirror
    if !isRow { mirror.keep() }
    return mirror.instance
  }

  /// The mirror that a GObject is; nil if it's something else.
  static func content(of pointer: UnsafeMutableRawPointer) -> Mirror? {
    // Only instances of the library's classes have a content to look at.
    guard MirrorClass.types.contains(pointer.gObject.type) else { return nil }
    return pointer.content as? Mirror
  }

  private init(_ object: any KeyValueObservable, _ identity: ObjectIdentifier) {
    mirrorClass = MirrorClass.of(type(of: object))
    self.identity = identity
    held = object
    isRow = true
    super.init(mirrorClass.type)
    // The caller has the first reference, and the mirror itself this one.
    g_object_add_toggle_ref(instance, whenToggled, nil)
  }

  /// The object; nil when it's dead.
  var object: (any KeyValueObservable)? { held ?? link?.object }

  /// Has the mirror live as long as its object, and observe all keys.
  private func keep() {
    guard isRow else { return }
    isRow = false
    for place in mirrorClass.keys.indices { observe(place) }
  }

  // MARK: Its life

  fileprivate func toggled(isLast: Bool) {
    if isLast {
      if isRow, !hasHandlers { end() } else { wait() }
    } else {
      held = link?.object
    }
  }

  private var hasHandlers: Bool {
    func has(_ signal: guint) -> Bool {
      g_signal_handler_find(instance, G_SIGNAL_MATCH_ID, signal, 0, nil, nil, nil) != 0
    }
    return has(Mirror.notify) || has(mirrorClass.refused)
  }

  private func wait() {
    guard let object = held else { return }
    if link == nil {
      let link = ObjectLink(object)
      self.link = link
      link.whenObjectDies { [unowned self] in end() }
    }
    if isRow { lookAgain() }
    // This may be the object's last reference: the mirror then ends in here.
    withExtendedLifetime(self) { held = nil }
  }

  /// Has a row that has lost its handlers end when the main loop is idle.
  ///
  /// GObject doesn't tell of a handler that's disconnected, and GTK's lists release an item before they
  /// disconnect its handlers. They do both before they return to the main loop, so one look is enough. After a
  /// later disconnection, the row ends when something holds it again and lets it go. GObject does so itself
  /// when it notifies of a key.
  private func lookAgain() {
    guard !isUnsettled else { return }
    isUnsettled = true
    Mirror.unsettled.append(self)
    guard Mirror.unsettled.count == 1 else { return }
    g_idle_add(
      { _ in
        onMainActor(()) { _ in Mirror.endDisconnected() }
        return 0
      }, nil)
  }

  private static func endDisconnected() {
    let rows = unsettled
    unsettled = []
    for row in rows {
      row.isUnsettled = false
      // Only one that's among the mirrors surely has its GObject.
      if mirrors[row.identity] === row, row.held == nil, row.isRow, !row.hasHandlers { row.end() }
    }
  }

  /// Lets the GObject go.
  private func end() {
    if Mirror.mirrors[identity] === self { Mirror.mirrors[identity] = nil }
    link?.end()
    withExtendedLifetime((self, held)) {
      held = nil
      g_object_remove_toggle_ref(instance, whenToggled, nil)
    }
  }

  override func finalized() {
    observations = [:]
    for list in lists.values { g_object_unref(list) }
    lists = [:]
  }

  // MARK: Its keys

  private func observe(_ place: Int) {
    guard observations[place] == nil, let object else { return }
    let key = mirrorClass.keys[place].key
    let (instance, parameter) = (instance, mirrorClass.parameters[place])
    // The key is one of the class's, so registering succeeds.
    observations[place] = try? object.observe(key) { object, _ in
      MainThread.require("\(type(of: object)).\(key) changed, which a window shows,")
      g_object_notify_by_pspec(instance, parameter)
    }
  }

  /// Has a row observe a key that something is connected to.
  private func observeIfConnected(_ place: Int) {
    guard isRow, observations[place] == nil else { return }
    func isConnected(_ detail: GQuark) -> Bool {
      g_signal_has_handler_pending(instance, Mirror.notify, detail, 1) != 0
    }
    if isConnected(mirrorClass.details[place]) || isConnected(0) { observe(place) }
  }

  override func get(_ id: Int, _ value: UnsafeMutablePointer<GValue>) {
    let place = id - 1
    let key = mirrorClass.keys[place]
    guard let object else { return }
    if case .list(let element) = key.content {
      g_value_set_object(value, list(place, key, element, of: object))
    } else {
      observeIfConnected(place)
      key.get(object, value)
    }
  }

  /// The list model of a list key: always the same one.
  private func list(
    _ place: Int, _ key: MirroredKey, _ element: any KeyValueObservable.Type,
    of object: any KeyValueObservable
  ) -> UnsafeMutablePointer<GObject>? {
    if let known = lists[place] { return known }
    func made<Object: KeyValueObservable, Element: KeyValueObservable>(
      _ object: Object, _: Element.Type
    ) -> UnsafeMutablePointer<GObject>? {
      if key.isOptional {
        return (try? object.kvo(key.key, as: [Element]?.self)).map { $0.listModel().gObject }
      }
      return (try? object.kvo(key.key, as: [Element].self)).map { $0.listModel().gObject }
    }
    let list = made(object, element)
    lists[place] = list
    return list
  }

  override func set(_ id: Int, _ value: UnsafePointer<GValue>) {
    guard let object else { return }
    observeIfConnected(id - 1)
    do {
      try mirrorClass.keys[id - 1].set(object, value)
    } catch {
      emitRefused(id - 1, "\(error)")
    }
  }

  private func emitRefused(_ place: Int, _ message: String) {
    withGValue(mirrorClass.type) { sender in
      g_value_set_object(sender, instance)
      withGValue(kvo_type_string) { name in
        g_value_set_string(name, mirrorClass.keys[place].name)
        withGValue(kvo_type_string) { text in
          g_value_set_string(text, message)
          g_signal_emitv(
            [sender.pointee, name.pointee, text.pointee], mirrorClass.refused,
            mirrorClass.details[place], nil)
        }
      }
    }
  }
}

/// GLib calls it when the mirror's own reference becomes the last one, and when it no longer is.
private let whenToggled: GToggleNotify = { _, instance, isLast in
  onMainActor((instance, isLast != 0)) { instance, isLast in
    let mirror = instance.flatMap { UnsafeMutableRawPointer($0).content } as? Mirror
    mirror?.toggled(isLast: isLast)
  }
}
