import CGtk4

/// Lends a GValue of a type.
@inline(__always)
func withGValue<Result>(
  _ type: GType, _ body: (UnsafeMutablePointer<GValue>) throws -> Result
) rethrows -> Result {
  var value = GValue()
  g_value_init(&value, type)
  defer { g_value_unset(&value) }
  return try body(&value)
}

extension UnsafePointer<GValue> {
  /// Whether the value is text without a letter; spaces count as none.
  var hasEmptyText: Bool {
    pointee.g_type == kvo_type_string && String(self).trimmingSpaces.isEmpty
  }
}

/// The name of a type of GObject.
func name(of type: GType) -> String {
  g_type_name(type).map { String(cString: $0) } ?? "?"
}
