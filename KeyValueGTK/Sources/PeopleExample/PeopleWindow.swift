import CGtk4
import KeyValueGTK
import KeyValueObserving

/// The window: a table, a form of the selected row, a total, and undo by edit.
@MainActor
package final class PeopleWindow {
  package let register: Register
  private let recorder = KeyValueChangeRecorder()
  private let builder: OpaquePointer
  private var observations: [KeyValueObservation] = []
  private var clicks: [Click] = []

  package init(_ register: Register) throws {
    self.register = register
    GObjectMirror.register(Person.self, name: "KvoPerson")
    builder = gtk_builder_new_from_string(interface, -1)

    let people = register.kvo.people.listModel(rearrangedBy: \.name, \.age)
    gtk_sort_list_model_set_model(object("sorted"), people)
    g_object_unref(UnsafeMutableRawPointer(people))
    gtk_sort_list_model_set_sorter(
      object("sorted"), gtk_column_view_get_sorter(object("table")))

    register.kvo.selected.follow(object("selection"), "selected-item")
    register.kvo.selected.bind(to: object("form"), "sensitive") { $0 != nil }
    register.kvo.selected.name.bindTwoWay(to: object("name"), "text", commit: .onEnd)
    register.kvo.selected.age.bindTwoWay(to: object("age"), "text", commit: .onEnd)
    register.kvo.selected.balance.bindTwoWay(to: object("balance"), "text", commit: .onEnd)
    register.kvo.people[sum: \.balance].bind(to: object("total"), "label") { "Total: \($0)" }

    try recorder.record(register, "people", "people.name", "people.age", "people.balance")
    // Registered after the recorder, so it has recorded what these are told.
    observations = ["people", "people.name", "people.age", "people.balance"].compactMap { path in
      try? register.kvo(path).observe { [weak self] _, _ in self?.showWhatCanBeUndone() }
    }
    onClick("add") { $0.register.mutableArrayValue(for: \.people).append(Person("New", 20, 0)) }
    onClick("remove") { window in
      window.register.people.removeAll { $0 === window.register.selected }
    }
    onClick("undo") { _ = try? $0.recorder.undo() }
    onClick("redo") { _ = try? $0.recorder.redo() }
    showWhatCanBeUndone()
  }

  isolated deinit {
    gtk_window_destroy(UnsafeMutablePointer(object("window")))
    g_object_unref(UnsafeMutableRawPointer(builder))
  }

  /// A widget or another object of the interface, by its id.
  package func object(_ id: String) -> OpaquePointer {
    OpaquePointer(gtk_builder_get_object(builder, id)!)
  }

  package func present() { gtk_window_present(UnsafeMutablePointer(object("window"))) }

  private func showWhatCanBeUndone() {
    gtk_widget_set_sensitive(UnsafeMutablePointer(object("undo")), recorder.canUndo ? 1 : 0)
    gtk_widget_set_sensitive(UnsafeMutablePointer(object("redo")), recorder.canRedo ? 1 : 0)
  }

  private func onClick(_ id: String, _ run: @escaping (PeopleWindow) -> Void) {
    let click = Click { [weak self] in
      guard let self else { return }
      run(self)
      showWhatCanBeUndone()
    }
    clicks.append(click)
    let handler: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = {
      _, data in
      let address = Int(bitPattern: data)
      MainActor.assumeIsolated {
        Unmanaged<Click>.fromOpaque(UnsafeRawPointer(bitPattern: address)!)
          .takeUnretainedValue().run()
      }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(object(id)), "clicked", unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passUnretained(click).toOpaque(), nil, GConnectFlags(rawValue: 0))
  }
}

/// What a button does.
@MainActor
private final class Click {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
