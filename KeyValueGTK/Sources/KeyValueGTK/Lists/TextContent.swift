import CGtk4
import KeyValueObserving

/// What keeps a GtkStringList in step with an array of values.
///
/// The list retains it.
@MainActor
final class TextContent {
  /// With a reference for the caller.
  let list: OpaquePointer
  /// What GTK knows.
  private var texts: [String] = []
  /// The texts, if they changed while GTK was being told of a change.
  private var next: [String]?
  private var isTelling = false
  private var observation: KeyValueObservation?

  init() {
    list = gtk_string_list_new(nil)
    g_object_set_data_full(
      list.gObject, "swift-kvo", Unmanaged.passRetained(self).toOpaque()
    ) { data in
      onMainActor(data) { data in
        guard let data else { return }
        // The list's data is the content, retained.
        let content = Unmanaged<TextContent>.fromOpaque(data)
        content.takeUnretainedValue().observation = nil
        content.release()
      }
    }
  }

  /// Keeps the observation that calls ``follow(_:)``.
  func begin(_ observation: KeyValueObservation) {
    self.observation = observation
  }

  /// Tells GTK of the texts, and of those that it brings about.
  func follow(_ newTexts: [String]) {
    next = newTexts
    if isTelling { return }
    // GTK's handlers may let the list go.
    g_object_ref(list.gObject)
    isTelling = true
    while let new = next {
      next = nil
      replace(with: new)
    }
    isTelling = false
    g_object_unref(list.gObject)
  }

  /// Tells of one change, from the first text that differs to the last one.
  private func replace(with new: [String]) {
    let (old, added) = texts.differingRanges(from: new)
    if old.isEmpty, added.isEmpty { return }
    texts = new
    withCStrings(new[added]) {
      gtk_string_list_splice(list, guint(old.lowerBound), guint(old.count), $0)
    }
  }

  /// Lends an array of C strings that NULL ends.
  private func withCStrings(
    _ texts: ArraySlice<String>, _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void
  ) {
    let copies = texts.map { g_strdup($0) }
    defer { copies.forEach { g_free($0) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    // There is at least the NULL, so there is an address.
    pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}
