import CGtk4

/// The selected item of a GtkSingleSelection or a GtkDropDown, which is set by its place in the model.
///
/// The property `selected-item` itself can only be read.
@MainActor
struct SelectedItem {
  /// GTK's `GTK_INVALID_LIST_POSITION`.
  private static let noPlace = guint.max

  private let owner: UnsafeMutablePointer<GObject>
  private let model: UnsafeMutablePointer<GParamSpec>
  private let selected: UnsafeMutablePointer<GParamSpec>

  /// Nil if the property is another one, or an object without these properties.
  init?(_ property: UnsafeMutablePointer<GParamSpec>, of owner: UnsafeMutablePointer<GObject>) {
    guard String(cString: g_param_spec_get_name(property)) == "selected-item",
      let model = owner.property("model"), let selected = owner.property("selected"),
      g_type_is_a(model.pointee.value_type, g_list_model_get_type()) != 0,
      selected.pointee.value_type == kvo_type_uint
    else { return nil }
    self.owner = owner
    self.model = model
    self.selected = selected
  }

  /// Whether `items-changed` of the owner tells of its model.
  var ownerTellsOfItems: Bool { owner.isA(g_list_model_get_type()) }

  /// Whether no item is selected.
  var isNone: Bool {
    withGValue(kvo_type_uint) { value in
      g_object_get_property(owner, selected.pointee.name, value)
      return g_value_get_uint(value) == SelectedItem.noPlace
    }
  }

  /// Selects an item, or none for NULL; false if the model doesn't have the item.
  ///
  /// If the item may have arrived at some places, it's looked for only there, and without it nothing changes.
  ///
  /// - Complexity: O(*n*) for *n* places.
  func select(_ item: gpointer?, arrivedAt places: Range<guint>?) -> Bool {
    let place = item.map { found($0, at: places) } ?? SelectedItem.noPlace
    if let place {
      set(place)
    } else if places == nil {
      set(SelectedItem.noPlace)
    }
    return place != nil
  }

  private func found(_ item: gpointer, at places: Range<guint>?) -> guint? {
    withGValue(model.pointee.value_type) { value in
      g_object_get_property(owner, model.pointee.name, value)
      guard let list = g_value_get_object(value).map({ OpaquePointer($0) }) else { return nil }
      let all = 0..<g_list_model_get_n_items(list)
      return (places?.clamped(to: all) ?? all).first { place in
        let other = g_list_model_get_item(list, place)
        defer { g_object_unref(other) }
        return other.map { UnsafeMutableRawPointer($0) } == item
      }
    }
  }

  private func set(_ place: guint) {
    withGValue(kvo_type_uint) { value in
      g_value_set_uint(value, place)
      g_object_set_property(owner, selected.pointee.name, value)
    }
  }
}
