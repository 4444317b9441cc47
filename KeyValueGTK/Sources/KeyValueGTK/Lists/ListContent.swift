import CGtk4
import KeyValueObserving

/// What a list model does, whatever its elements are.
class ListContent: InstanceContent {
  var itemType: GType { kvo_type_object }
  var count: Int { 0 }

  /// An item, with a reference for the caller.
  func item(_ index: Int) -> UnsafeMutablePointer<GObject>? { nil }

  init() {
    super.init(ListContent.type)
  }

  /// The GObject class of list models.
  private static let type: GType = {
    let type = InstanceClass.register("KvoListModel") { table, _ in
      if let table { InstanceClass.complete(table.assumingMemoryBound(to: GObjectClass.self)) }
    }
    var interface = GInterfaceInfo()
    interface.interface_init = { table, _ in
      let table = table?.assumingMemoryBound(to: GListModelInterface.self)
      table?.pointee.get_item_type = { list in
        onMainActor(list) { ListContent.of($0)?.itemType ?? kvo_type_object }
      }
      table?.pointee.get_n_items = { list in
        onMainActor(list) { guint(ListContent.of($0)?.count ?? 0) }
      }
      table?.pointee.get_item = { list, index in
        onMainActor((list, Int(index))) { list, index in
          ListContent.of(list)?.item(index).map { UnsafeMutableRawPointer($0) }
        }
      }
    }
    g_type_add_interface_static(type, g_list_model_get_type(), &interface)
    return type
  }()

  private static func of(_ list: OpaquePointer?) -> ListContent? {
    list.flatMap { UnsafeMutableRawPointer($0).content as? ListContent }
  }
}
