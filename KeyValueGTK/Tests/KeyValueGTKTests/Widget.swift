import CGtk4
import KeyValueGTK
import XCTest

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

extension Widget {
  /// The text field in an entry, a spin button or an editable label.
  var textField: UnsafeMutablePointer<GObject> {
    gtk_editable_get_delegate(OpaquePointer(pointer))!.gObject
  }

  /// What the text field does at the Enter key.
  func pressEnter() {
    var value = GValue()
    g_value_init(&value, gtk_text_get_type())
    g_value_set_object(&value, textField)
    g_signal_emitv(&value, g_signal_lookup("activate", gtk_text_get_type()), 0, nil)
    g_value_unset(&value)
  }
}

/// A window with widgets.
@MainActor
final class Window {
  private let pointer = gtk_window_new()!

  func show(_ widgets: Widget..., file: StaticString = #filePath, line: UInt = #line) {
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
    for widget in widgets {
      gtk_box_append(
        UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), widget.pointer)
    }
    let window = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(window, box)
    // The display has no window manager: the keyboard is that of the window under the pointer.
    gtk_window_set_default_size(window, 1_280, 800)
    gtk_window_present(window)
    let isActive = runMainLoop { gtk_window_is_active(window) != 0 }
    XCTAssertTrue(isActive, "The window doesn't become active.", file: file, line: line)
  }

  isolated deinit {
    gtk_window_destroy(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWindow.self))
  }
}
