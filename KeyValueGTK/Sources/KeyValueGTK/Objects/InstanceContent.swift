import CGtk4

/// What an instance of one of the library's own GObject classes does: a mirror, or a list model.
///
/// The instance retains it until it's finalised.
@MainActor
class InstanceContent {
  /// The instance; valid until it releases this.
  let instance: UnsafeMutablePointer<GObject>

  /// Creates an instance of a type, with a reference for the caller, whose content this becomes.
  init(_ type: GType) {
    instance = g_object_new_with_properties(type, 0, nil, nil)
    UnsafeMutableRawPointer(instance).kvoObject.pointee.content =
      Unmanaged.passRetained(self).toOpaque()
  }

  /// Writes a property's value.
  func get(_ id: Int, _ value: UnsafeMutablePointer<GValue>) {}

  /// Sets a property.
  func set(_ id: Int, _ value: UnsafePointer<GValue>) {}

  /// Called when the instance is finalised, before it releases this.
  func finalized() {}
}

extension UnsafeMutableRawPointer {
  /// An instance of one of the library's classes, as its struct.
  var kvoObject: UnsafeMutablePointer<KvoObject> { assumingMemoryBound(to: KvoObject.self) }

  /// The content of an instance of one of the library's classes.
  @MainActor var content: InstanceContent? {
    kvoObject.pointee.content.map {
      Unmanaged<InstanceContent>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

/// What GObject needs of the library's classes.
enum InstanceClass {
  /// Registers a class whose instances have an ``InstanceContent``.
  ///
  /// The initialiser, which gets `data`, completes the class's struct before the first instance.
  static func register(
    _ name: String, parent: GType = kvo_type_object, data: UnsafeRawPointer? = nil,
    initialize: @escaping GClassInitFunc
  ) -> GType {
    var info = GTypeInfo()
    info.class_size = guint16(MemoryLayout<GObjectClass>.size)
    info.instance_size = guint16(MemoryLayout<KvoObject>.size)
    info.class_data = data
    info.class_init = initialize
    return g_type_register_static(parent, name, &info, GTypeFlags(rawValue: 0))
  }

  /// Has a class's instances ask their content.
  static func complete(_ table: UnsafeMutablePointer<GObjectClass>) {
    table.pointee.get_property = { instance, id, value, _ in
      onMainActor((UnsafeMutableRawPointer(instance), Int(id), value)) { instance, id, value in
        if let value { instance?.content?.get(id, value) }
      }
    }
    table.pointee.set_property = { instance, id, value, _ in
      onMainActor((UnsafeMutableRawPointer(instance), Int(id), value)) { instance, id, value in
        if let value { instance?.content?.set(id, value) }
      }
    }
    table.pointee.finalize = { instance in
      onMainActor(UnsafeMutableRawPointer(instance)) { instance in
        guard let instance else { return }
        if let content = instance.content {
          content.finalized()
          instance.kvoObject.pointee.content = nil
          Unmanaged.passUnretained(content).release()
        }
        g_type_class_peek(kvo_type_object)?.assumingMemoryBound(to: GObjectClass.self)
          .pointee.finalize(instance.gObject)
      }
    }
  }
}
