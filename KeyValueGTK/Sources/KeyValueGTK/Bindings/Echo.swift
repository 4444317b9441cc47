import CGtk4

/// A copy of a property's value.
@MainActor
final class Echo {
  private var value = GValue()

  init(_ value: UnsafePointer<GValue>) {
    g_value_init(&self.value, value.pointee.g_type)
    g_value_copy(value, &self.value)
  }

  isolated deinit { g_value_unset(&value) }

  /// Whether a property has this value.
  func isValue(
    of property: UnsafeMutablePointer<GParamSpec>, of object: UnsafeMutablePointer<GObject>?
  ) -> Bool {
    guard let object else { return false }
    return withGValue(property.pointee.value_type) { held in
      g_object_get_property(object, property.pointee.name, held)
      return g_param_values_cmp(property, held, &value) == 0
    }
  }
}
