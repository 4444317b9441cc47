import CGtk4
import KeyValueGTK
import PeopleExample

gtk_init()
GLibMainLoop.serveMainActor()

let register = Register()
register.people = [
  Person("Ada Lovelace", 36, 100), Person("Grace Hopper", 85, 250),
  Person("Mary Somerville", 91, 75.5), Person("Emmy Noether", 53, 310),
]
let window = try PeopleWindow(register)
window.present()
while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
  g_main_context_iteration(nil, 1)
}
