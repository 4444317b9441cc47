import CGtk4

/// A pointer to a GObject, however C or a wrapper spells it.
///
/// `UnsafeMutablePointer<GtkWidget>`, `OpaquePointer` and `UnsafeMutableRawPointer` conform. A wrapper's
/// class conforms with one line, which returns the pointer that it wraps.
public protocol GObjectPointer {
  /// The object.
  var gObject: UnsafeMutablePointer<GObject> { get }
}

extension UnsafeMutablePointer: GObjectPointer {
  /// The object.
  public var gObject: UnsafeMutablePointer<GObject> { UnsafeMutableRawPointer(self).gObject }
}

extension UnsafeMutableRawPointer: GObjectPointer {
  /// The object.
  public var gObject: UnsafeMutablePointer<GObject> {
    // The caller says that this is a GObject, whose struct begins with GObject's.
    assumingMemoryBound(to: GObject.self)
  }
}

extension OpaquePointer: GObjectPointer {
  /// The object.
  public var gObject: UnsafeMutablePointer<GObject> { UnsafeMutablePointer(self) }
}

extension UnsafeMutablePointer<GObject> {
  /// The object's type.
  var type: GType { pointee.g_type_instance.g_class.pointee.g_type }

  /// Whether the object's type is this one or inherits from it.
  func isA(_ type: GType) -> Bool { g_type_is_a(self.type, type) != 0 }

  /// The object as a widget; nil if it isn't one.
  var widget: UnsafeMutablePointer<GtkWidget>? {
    guard isA(gtk_widget_get_type()) else { return nil }
    return UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWidget.self)
  }

  /// The class's description of a property.
  func property(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
    let owner = UnsafeMutableRawPointer(pointee.g_type_instance.g_class!)
    return g_object_class_find_property(owner.assumingMemoryBound(to: GObjectClass.self), name)
  }
}
