import CGtk4

/// A handler of a signal whose arguments aren't needed, or of a list model's `items-changed`.
@MainActor
final class SignalHandler {
  /// Gets the places of the items that have come.
  private let run: (Range<guint>) -> Void
  private let object: UnsafeMutablePointer<GObject>
  private let retainsObject: Bool
  private var id: gulong = 0

  /// Connects a closure to a signal, which has no argument or one.
  ///
  /// The handler's owner calls ``disconnect()`` or ``ownerDied()`` before it releases the handler. With
  /// `retainsObject`, the handler keeps the object alive until then. Without it, the object must be the one whose
  /// death ends the owner.
  convenience init(
    _ signal: String, of object: UnsafeMutablePointer<GObject>, arguments: Int = 0,
    retainsObject: Bool = false, _ run: @escaping () -> Void
  ) {
    self.init(
      signal, of: object, SignalHandler.callback(arguments), GConnectFlags(rawValue: 0),
      retainsObject: retainsObject
    ) { _ in run() }
  }

  /// Connects a closure to `items-changed` of a list model, behind the handlers that others connect: they don't know
  /// the new items before they are called.
  ///
  /// The closure gets the places of the items that have come. The owner ends the handler as above.
  convenience init(
    forItemsOf object: UnsafeMutablePointer<GObject>, _ run: @escaping (Range<guint>) -> Void
  ) {
    self.init(
      "items-changed", of: object, SignalHandler.itemsCallback, G_CONNECT_AFTER,
      retainsObject: false, run)
  }

  private init(
    _ signal: String, of object: UnsafeMutablePointer<GObject>, _ callback: GCallback,
    _ flags: GConnectFlags, retainsObject: Bool, _ run: @escaping (Range<guint>) -> Void
  ) {
    self.object = object
    self.retainsObject = retainsObject
    self.run = run
    if retainsObject { g_object_ref(object) }
    id = g_signal_connect_data(
      object, signal, callback, Unmanaged.passUnretained(self).toOpaque(), nil, flags)
  }

  /// Ends the handler, while the object is alive; may be called repeatedly.
  func disconnect() {
    guard id != 0 else { return }
    let last = id
    id = 0
    g_signal_handler_disconnect(object, last)
    if retainsObject { g_object_unref(object) }
  }

  /// Ends the handler after the death of the object that ends the owner.
  ///
  /// That object has disconnected its handlers, and one that's retained hasn't.
  func ownerDied() {
    if retainsObject { disconnect() } else { id = 0 }
  }

  fileprivate func called(_ arrivals: Range<guint>) {
    // Its code may end it.
    withExtendedLifetime(self) { run(arrivals) }
  }

  /// C's function for a signal with a number of arguments.
  private static func callback(_ arguments: Int) -> GCallback {
    typealias None = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    typealias One =
      @convention(c) (
        UnsafeMutableRawPointer, UnsafeMutableRawPointer?, UnsafeMutableRawPointer
      ) -> Void
    switch arguments {
    case 0:
      let function: None = { _, data in handle(data) }
      // The signal calls it with exactly these arguments.
      return unsafeBitCast(function, to: GCallback.self)
    default:
      let function: One = { _, _, data in handle(data) }
      return unsafeBitCast(function, to: GCallback.self)
    }
  }

  /// C's function for `items-changed`.
  private static var itemsCallback: GCallback {
    typealias Numbers =
      @convention(c) (
        UnsafeMutableRawPointer, guint, guint, guint, UnsafeMutableRawPointer
      ) -> Void
    let function: Numbers = { _, place, _, added, data in handle(data, place..<place + added) }
    // The signal calls it with exactly these arguments.
    return unsafeBitCast(function, to: GCallback.self)
  }
}

/// Calls the handler that a signal's data is.
private func handle(_ data: UnsafeMutableRawPointer, _ arrivals: Range<guint> = 0..<0) {
  // The handler is disconnected before it's released.
  let address = Int(bitPattern: data)
  MainActor.assumeIsolated {
    guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
    Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().called(arrivals)
  }
}
