import CGtk4
import KeyValueGTK

/// Counts the calls of a signal's handler, and notes what each had to say.
@MainActor
final class Signals {
  private(set) var calls: [String] = []
  /// Called at each call.
  var whenCalled: (() -> Void)?
  private let object: UnsafeMutablePointer<GObject>
  private var id: gulong = 0

  func note(_ call: String) {
    calls.append(call)
    whenCalled?()
  }

  /// What was noted since the last time.
  func take() -> [String] {
    defer { calls = [] }
    return calls
  }

  func disconnect() {
    g_signal_handler_disconnect(object, id)
  }

  private init(_ object: UnsafeMutablePointer<GObject>) { self.object = object }

  private func connect(_ signal: String, _ function: GCallback) {
    id = g_signal_connect_data(
      object, signal, function, Unmanaged.passRetained(self).toOpaque(),
      { data, _ in data.map { Unmanaged<Signals>.fromOpaque($0).release() } },
      GConnectFlags(rawValue: 0))
  }

  /// The names of the properties that an object notifies.
  static func notify(_ object: some GObjectPointer, _ property: String? = nil) -> Signals {
    let signals = Signals(object.gObject)
    typealias Function =
      @convention(c) (
        UnsafeMutableRawPointer, UnsafeMutablePointer<GParamSpec>, UnsafeMutableRawPointer
      ) -> Void
    let function: Function = { _, property, data in
      let name = String(cString: g_param_spec_get_name(property))
      onMain(data) { Unmanaged<Signals>.fromOpaque($0).takeUnretainedValue().note(name) }
    }
    signals.connect(
      property.map { "notify::\($0)" } ?? "notify", unsafeBitCast(function, to: GCallback.self))
    return signals
  }

  /// What a mirror refuses.
  static func refused(_ object: some GObjectPointer, _ detail: String? = nil) -> Signals {
    let signals = Signals(object.gObject)
    typealias Function =
      @convention(c) (
        UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer
      ) -> Void
    let function: Function = { _, property, message, data in
      let text = "\(String(cString: property)): \(String(cString: message))"
      onMain(data) { Unmanaged<Signals>.fromOpaque($0).takeUnretainedValue().note(text) }
    }
    signals.connect(
      detail.map { "refused::\($0)" } ?? "refused", unsafeBitCast(function, to: GCallback.self))
    return signals
  }

  /// The end of a widget.
  static func destroy(_ object: some GObjectPointer) -> Signals {
    let signals = Signals(object.gObject)
    typealias Function = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    let function: Function = { _, data in
      onMain(data) { Unmanaged<Signals>.fromOpaque($0).takeUnretainedValue().note("destroy") }
    }
    signals.connect("destroy", unsafeBitCast(function, to: GCallback.self))
    return signals
  }

  /// The changes of a list: “place -removed +added”.
  static func items(_ list: some GObjectPointer) -> Signals {
    let signals = Signals(list.gObject)
    typealias Function =
      @convention(c) (
        UnsafeMutableRawPointer, guint, guint, guint, UnsafeMutableRawPointer
      ) -> Void
    let function: Function = { _, place, removed, added, data in
      onMain(data) {
        Unmanaged<Signals>.fromOpaque($0).takeUnretainedValue()
          .note("\(place) -\(removed) +\(added)")
      }
    }
    signals.connect("items-changed", unsafeBitCast(function, to: GCallback.self))
    return signals
  }
}

/// What GObject complains of while code runs.
@MainActor func complaints(of body: () -> Void) -> [String] {
  let complaints = Complaints()
  let levels = G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
  let id = g_log_set_handler(
    "GLib-GObject", GLogLevelFlags(rawValue: levels),
    { _, _, message, data in
      let text = message.map { String(cString: $0) } ?? ""
      onMain(data!) {
        Unmanaged<Complaints>.fromOpaque($0).takeUnretainedValue().messages.append(text)
      }
    }, Unmanaged.passUnretained(complaints).toOpaque())
  body()
  g_log_remove_handler("GLib-GObject", id)
  return complaints.messages
}

@MainActor
private final class Complaints {
  var messages: [String] = []
}

/// Runs what GTK calls, which it does on the main thread.
func onMain(_ data: UnsafeMutableRawPointer, _ body: @MainActor (UnsafeMutableRawPointer) -> Void) {
  // It doesn't leave the thread.
  nonisolated(unsafe) let data = data
  MainActor.assumeIsolated { body(data) }
}

extension GObjectPointer {
  /// A property of text.
  func text(_ property: String) -> String {
    withValue(property, kvo_type_string) { String(cString: g_value_get_string($0)) }
  }

  /// A property of whole numbers.
  func integer(_ property: String) -> Int {
    withValue(property, kvo_type_int64) { Int(g_value_get_int64($0)) }
  }

  /// A property of objects.
  func object(_ property: String) -> Held? {
    withValue(property, kvo_type_object) { g_value_get_object($0).map { Held($0.gObject) } }
  }

  func withValue<Result>(
    _ property: String, _ type: GType, _ body: (UnsafePointer<GValue>) -> Result
  ) -> Result {
    var value = GValue()
    g_value_init(&value, type)
    g_object_get_property(gObject, property, &value)
    defer { g_value_unset(&value) }
    return body(&value)
  }

  func set(_ property: String, _ text: String) {
    var value = GValue()
    g_value_init(&value, kvo_type_string)
    g_value_set_string(&value, text)
    g_object_set_property(gObject, property, &value)
    g_value_unset(&value)
  }

  func set(_ property: String, _ number: Int) {
    var value = GValue()
    g_value_init(&value, kvo_type_int64)
    g_value_set_int64(&value, gint64(number))
    g_object_set_property(gObject, property, &value)
    g_value_unset(&value)
  }

  func set(_ property: String, _ object: UnsafeMutablePointer<GObject>?) {
    var value = GValue()
    g_value_init(&value, kvo_type_object)
    g_value_set_object(&value, object)
    g_object_set_property(gObject, property, &value)
    g_value_unset(&value)
  }

  var typeName: String {
    String(cString: g_type_name(gObject.pointee.g_type_instance.g_class.pointee.g_type))
  }
}

/// The names of a list's people.
@MainActor func names(_ list: some GObjectPointer) -> [String] {
  let model = OpaquePointer(list.gObject)
  return (0..<g_list_model_get_n_items(model)).map { index in
    let item = g_list_model_get_item(model, index)!
    defer { g_object_unref(item) }
    return GObjectMirror.object(of: item, as: Person.self)?.name ?? "?"
  }
}

/// Gives a reference to a GObject back.
func unref(_ object: some GObjectPointer) { g_object_unref(object.gObject) }

/// A reference to a GObject.
final class Held: GObjectPointer {
  let gObject: UnsafeMutablePointer<GObject>

  init(_ object: UnsafeMutablePointer<GObject>) {
    gObject = object
    g_object_ref(object)
  }

  deinit { g_object_unref(gObject) }
}
