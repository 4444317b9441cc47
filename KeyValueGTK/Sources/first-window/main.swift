// snippet WindowsWithGTK 2
import CGtk4
import KeyValueGTK
import KeyValueObserving

gtk_init()
GLibMainLoop.serveMainActor()

let register = Register()
register.people = [Person("Ada", 36), Person("Grace", 85), Person("Emmy", 53)]

// Known to GObject before the interface names it.
GObjectMirror.register(Person.self, name: "Person")
let builder = gtk_builder_new_from_string(interface, -1)
@MainActor func object(_ id: String) -> OpaquePointer {
  OpaquePointer(gtk_builder_get_object(builder, id)!)
}

let people = register.kvo.people.listModel(rearrangedBy: \.name, \.age)
gtk_sort_list_model_set_model(object("sorted"), people)
g_object_unref(UnsafeMutableRawPointer(people))
gtk_sort_list_model_set_sorter(
  object("sorted"), gtk_column_view_get_sorter(object("table")))

register.kvo.selected.follow(object("selection"), "selected-item")
register.kvo.selected.bind(to: object("form"), "sensitive") { $0 != nil }
register.kvo.selected.name.bindTwoWay(to: object("name"), "text")
register.kvo.selected.age.bindTwoWay(to: object("age"), "text", commit: .onEnd)
register.kvo.people[average: \.age].bind(to: object("average"), "label") { average in
  "Average age: \((average * 10).rounded() / 10)"
}
// end
// snippet WindowsWithGTK 3
Task {
  try await Task.sleep(for: .seconds(2))
  register.people.append(Person("Mary", 91))
}
gtk_window_present(UnsafeMutablePointer(object("window")))
while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
  g_main_context_iteration(nil, 1)
}
// end
