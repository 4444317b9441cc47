import CGtk4
import KeyValueGTK

/// A widget that a test owns.
@MainActor
final class Widget {
  private(set) var pointer: UnsafeMutablePointer<GtkWidget>

  init(_ pointer: UnsafeMutablePointer<GtkWidget>?) {
    self.pointer = pointer!
    g_object_ref_sink(pointer)
  }

  isolated deinit { g_object_unref(pointer) }

  var text: String {
    get { String(cString: gtk_editable_get_text(OpaquePointer(pointer))) }
    set { gtk_editable_set_text(OpaquePointer(pointer), newValue) }
  }

  var tooltip: String? { gtk_widget_get_tooltip_text(pointer).map { String(cString: $0) } }
  var showsError: Bool { gtk_widget_has_css_class(pointer, "error") != 0 }
}
