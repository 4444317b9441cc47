// What observed models cost in windows, beside GTK's own: `swift run -c release gtk-bench`.
// With arguments, only those parts: cells, entries, lists, insertions, sorted.
// Rows of a table in Markdown, each the fastest of 15 runs. The page *Windows with GTK* has them.
import CGtk4
import CPlainObject
import Foundation
import KeyValueGTK
import KeyValueGTKTestSupport
import KeyValueObserving

if let failure = Display.failure {
  print(failure)
  exit(69)
}

let count = 10_000
let parts = CommandLine.arguments.dropFirst()
@MainActor func isAsked(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
GObjectMirror.register(Person.self, name: "Person")

@MainActor func plainStore() -> OpaquePointer {
  let store = g_list_store_new(plain_person_get_type())!
  for number in 0..<count {
    let person = plain_person_new(Company.name(number), gint(number))
    g_list_store_append(store, UnsafeMutableRawPointer(person))
    g_object_unref(UnsafeMutableRawPointer(person))
  }
  return store
}

print("| | GTK's own | observed | times |")
print("| --- | --- | --- | --- |")

// MARK: A visible cell

/// A window with a table of names and ages, whose first rows are visible.
@MainActor func table(_ model: OpaquePointer, _ type: String) -> UnsafeMutablePointer<GtkWindow> {
  func column(_ property: String) -> OpaquePointer? {
    let template = """
      <interface><template class="GtkListItem"><property name="child"><object class="GtkLabel">
      <binding name="label"><lookup name="\(property)" type="\(type)">
      <lookup name="item">GtkListItem</lookup></lookup></binding>
      </object></property></template></interface>
      """
    let bytes = g_bytes_new(template, gsize(template.utf8.count))
    return gtk_column_view_column_new(
      property, gtk_builder_list_item_factory_new_from_bytes(nil, bytes))
  }
  let view = gtk_column_view_new(gtk_no_selection_new(model))!
  gtk_column_view_append_column(OpaquePointer(view), column("name"))
  gtk_column_view_append_column(OpaquePointer(view), column("age"))
  let scrolled = gtk_scrolled_window_new()!
  gtk_scrolled_window_set_child(OpaquePointer(scrolled), view)
  let window = gtk_window_new()!.raw.cast(GtkWindow.self)
  gtk_window_set_default_size(window, 600, 600)
  gtk_window_set_child(window, scrolled)
  gtk_window_present(window)
  let start = Date()
  while Date().timeIntervalSince(start) < 0.5 { g_main_context_iteration(nil, 0) }
  return window
}

let sets = 2_000
if isAsked("cells") {
  let store = plainStore()
  let window = table(store, "PlainPerson")
  let person = OpaquePointer(g_list_model_get_item(store, 3)!)
  var age: gint = 0
  let own = fastest {
    for _ in 0..<sets {
      age &+= 1
      plain_person_set_age(person, age)
    }
  }
  gtk_window_destroy(window)
  let company = Company(count)
  let observed = table(company.kvo.people.listModel(rearrangedBy: \.name), "Person")
  let visible = company.people[3]
  var years = 0
  let ours = fastest {
    for _ in 0..<sets {
      years += 1
      visible.age = years
    }
  }
  gtk_window_destroy(observed)
  row("a set of a visible cell's key", own.nanoseconds(of: sets), ours.nanoseconds(of: sets))
}

// MARK: An entry

if isAsked("entries") {
  let entry = gtk_entry_new()!
  g_object_ref_sink(entry)
  var number = 0
  let own = fastest {
    for _ in 0..<sets {
      number += 1
      gtk_editable_set_text(OpaquePointer(entry), "\(number)")
    }
  }
  let person = Person("Ada", 0)
  person.kvo.age.bindTwoWay(to: entry, "text")
  let ours = fastest {
    for _ in 0..<sets {
      number += 1
      person.age = number
    }
  }
  row("a set of a key bound to an entry", own.nanoseconds(of: sets), ours.nanoseconds(of: sets))
  let typed = fastest {
    for _ in 0..<sets {
      number += 1
      gtk_editable_set_text(OpaquePointer(entry), "\(number)")
    }
  }
  row("an entry's change that sets a key", own.nanoseconds(of: sets), typed.nanoseconds(of: sets))
  g_object_unref(entry)
}

// MARK: Lists

if isAsked("lists") {
  let people = (0..<count).map {
    UnsafeMutableRawPointer(plain_person_new(Company.name($0), gint($0)))
  }
  var names = (0..<count).map { UnsafePointer(strdup(Company.name($0))) } + [nil]
  let strings = fastest { g_object_unref(gtk_string_list_new(&names)!.raw) }
  let own = fastest {
    let store = g_list_store_new(plain_person_get_type())!
    for person in people { g_list_store_append(store, person) }
    g_object_unref(store.raw)
  }
  let company = Company(count)
  let ours = fastest { g_object_unref(company.kvo.people.listModel().raw) }
  let rearranged = fastest {
    g_object_unref(company.kvo.people.listModel(rearrangedBy: \.name, \.age).raw)
  }
  row("a list model of 10,000: GListStore", own.nanoseconds(of: 1), ours.nanoseconds(of: 1))
  row("the same: GtkStringList", strings.nanoseconds(of: 1), ours.nanoseconds(of: 1))
  row(
    "the same, rearranged by two keys", own.nanoseconds(of: 1), rearranged.nanoseconds(of: 1))
}

/// Counts the changes of a list.
@MainActor final class Changes {
  var count = 0

  init(of list: OpaquePointer) {
    let function:
      @convention(c) (
        UnsafeMutableRawPointer, guint, guint, guint, UnsafeMutableRawPointer
      ) -> Void = { _, _, _, _, data in
        nonisolated(unsafe) let data = data  // it stays on the thread
        MainActor.assumeIsolated {
          Unmanaged<Changes>.fromOpaque(data).takeUnretainedValue().count += 1
        }
      }
    g_signal_connect_data(
      list.raw, "items-changed", unsafeBitCast(function, to: GCallback.self),
      Unmanaged.passRetained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
  }
}

if isAsked("insertions") {
  let store = plainStore()
  let new = UnsafeMutableRawPointer(plain_person_new("new", 1))
  let insertions = 200
  let own = fastest {
    for place in 0..<insertions { g_list_store_insert(store, guint(5_000 + place), new) }
  }
  let strings = gtk_string_list_new(nil)!
  for number in 0..<count { gtk_string_list_append(strings, Company.name(number)) }
  var added = [UnsafePointer(strdup("new")), nil]
  let text = fastest {
    for place in 0..<insertions { gtk_string_list_splice(strings, guint(5_000 + place), 0, &added) }
  }
  let company = Company(count)
  let list = company.kvo.people.listModel()
  let changes = Changes(of: list)
  let people = company.mutableArrayValue(for: \.people)
  let person = Person("new", 1)
  let ours = fastest {
    for place in 0..<insertions { people.insert(person, at: 5_000 + place) }
  }
  let note = ", \(Double(changes.count) / Double(15 * insertions)) items-changed"
  row(
    "an insertion in 10,000: GListStore", own.nanoseconds(of: insertions),
    ours.nanoseconds(of: insertions), note)
  row("the same: GtkStringList", text.nanoseconds(of: insertions), ours.nanoseconds(of: insertions))
}

// MARK: Sorted lists

if isAsked("sorted") {
  @MainActor func sorted(_ list: OpaquePointer, _ type: GType) -> OpaquePointer {
    let sorter = gtk_string_sorter_new(gtk_property_expression_new(type, nil, "name"))!
    return gtk_sort_list_model_new(list, sorter.raw.cast(GtkSorter.self))!
  }
  let store = plainStore()
  let company = Company(count)
  let list = company.kvo.people.listModel(rearrangedBy: \.name)
  let own = fastest {
    g_object_ref(store.raw)
    g_object_unref(sorted(store, plain_person_get_type()).raw)
  }
  let type = GObjectMirror.register(Person.self).type
  let ours = fastest {
    g_object_ref(list.raw)
    g_object_unref(sorted(list, type).raw)
  }
  row("a GtkSortListModel of 10,000", own.nanoseconds(of: 1), ours.nanoseconds(of: 1))
  let ownSorted = sorted(store, plain_person_get_type())
  let moves = 50
  let person = OpaquePointer(g_list_model_get_item(store, 4_000)!)
  var number = 0
  let byHand = fastest {
    for _ in 0..<moves {
      number += 1
      plain_person_set_name(person, Company.name(number * 31))
      g_list_model_items_changed(store, 4_000, 1, 1)
    }
  }
  let ourSorted = sorted(list, type)
  let observed = fastest {
    for _ in 0..<moves {
      number += 1
      company.people[4_000].name = Company.name(number * 31)
    }
  }
  row(
    "a set of a key that moves the row there; GTK's own by hand",
    byHand.nanoseconds(of: moves), observed.nanoseconds(of: moves))
  _ = (ownSorted, ourSorted)
}
