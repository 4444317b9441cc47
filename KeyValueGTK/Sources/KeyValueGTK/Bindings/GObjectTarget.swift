import CGtk4

/// A property of a GObject that has been checked.
@MainActor
struct GObjectTarget {
  let object: UnsafeMutablePointer<GObject>
  let property: UnsafeMutablePointer<GParamSpec>
  /// How the property is set if it can't be set itself.
  let selectedItem: SelectedItem?

  /// What a binding does with a property.
  enum Use {
    case writing
    case reading
    case both
  }

  /// Stops the program if the object has no such property, or one that a key's values don't fit.
  init<Value>(
    _ pointer: some GObjectPointer, _ property: String, for source: String,
    _ coding: GValueCoding<Value>, _ use: Use
  ) {
    MainThread.require("\(source) was bound to “\(property)”")
    object = pointer.gObject
    let type = KeyValueGTK.name(of: object.type)
    guard let found = object.property(property) else {
      Misuse.stop("\(type) has no property “\(property)”, to which \(source) is to be bound.")
    }
    self.property = found
    let flags = found.pointee.flags.rawValue
    let isSettable =
      flags & G_PARAM_WRITABLE.rawValue != 0 && flags & G_PARAM_CONSTRUCT_ONLY.rawValue == 0
    selectedItem = isSettable || use == .reading ? nil : SelectedItem(found, of: object)
    guard isSettable || use == .reading || selectedItem != nil else {
      Misuse.stop("\(type):\(property), to which \(source) is to be bound, can't be set.")
    }
    guard flags & G_PARAM_READABLE.rawValue != 0 || use == .writing else {
      Misuse.stop("\(type):\(property), to which \(source) is to be bound, can't be read.")
    }
    guard coding.fits(found.pointee.value_type) else {
      let held = KeyValueGTK.name(of: found.pointee.value_type)
      Misuse.stop(
        """
        \(type):\(property) is \(Words.indefinite(named: held)), which \(source), \
        \(Words.indefinite(Value.self)), doesn't fit. Bind it with a transform.
        """)
    }
  }

  /// The object's type and the property: `GtkEntry:text`.
  var name: String {
    "\(KeyValueGTK.name(of: object.type)):\(String(cString: g_param_spec_get_name(property)))"
  }
}
