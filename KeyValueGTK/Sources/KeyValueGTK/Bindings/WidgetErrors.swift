import CGtk4

/// What widgets show of their bindings' errors.
///
/// Several bindings of one widget may have an error. The widget shows the last one, and its own tooltip when
/// none is left.
@MainActor
enum WidgetErrors {
  private struct Shown {
    /// What the widget's tooltip was before the first error's.
    let ownTooltip: String?
    /// One error for each binding that has one.
    var errors: [(binding: ObjectIdentifier, text: String)] = []
  }

  // A binding that ends removes its error, so each of these widgets is alive.
  private static var shown: [UnsafeMutablePointer<GObject>: Shown] = [:]

  /// Shows a binding's error instead of its previous one, if the object is a widget.
  static func show(
    _ error: any Error, of binding: GObjectBinding, at object: UnsafeMutablePointer<GObject>
  ) {
    guard let widget = object.widget else { return }
    var all =
      shown[object]
      ?? Shown(ownTooltip: gtk_widget_get_tooltip_text(widget).map { String(cString: $0) })
    let text = "\(error)"
    all.errors.removeAll { $0.binding == ObjectIdentifier(binding) }
    all.errors.append((binding: ObjectIdentifier(binding), text: text))
    shown[object] = all
    display(text, isError: true, at: widget)
  }

  /// No longer shows a binding's error, if it has one.
  static func remove(of binding: GObjectBinding, from object: UnsafeMutablePointer<GObject>) {
    guard var all = shown[object],
      let place = all.errors.firstIndex(where: { $0.binding == ObjectIdentifier(binding) }),
      let widget = object.widget
    else { return }
    all.errors.remove(at: place)
    shown[object] = all.errors.isEmpty ? nil : all
    display(all.errors.last?.text ?? all.ownTooltip, isError: !all.errors.isEmpty, at: widget)
  }

  /// Forgets an object that dies.
  static func forget(_ object: UnsafeMutablePointer<GObject>) { shown[object] = nil }

  private static func display(
    _ tooltip: String?, isError: Bool, at widget: UnsafeMutablePointer<GtkWidget>
  ) {
    // GTK's handlers may let the widget go.
    g_object_ref(widget)
    if isError {
      gtk_widget_add_css_class(widget, "error")
    } else {
      gtk_widget_remove_css_class(widget, "error")
    }
    gtk_widget_set_tooltip_text(widget, tooltip)
    g_object_unref(widget)
  }
}
