import CGtk4
import Foundation
import KeyValueGTK
import PeopleExample
import XCTest

/// The example's window, used with the mouse and the keyboard.
final class PeopleWindowTests: GTKTestCase {
  func testAnEditReachesTheModelAndIsUndone() throws {
    try gtk {
      let user = try User()
      let ada = user.register.people[0]

      try user.type("Augusta", in: "name")
      XCTAssertEqual(ada.name, "Ada")  // not by letter
      try user.press("Return") { ada.name == "Augusta" }
      try user.type("120.5", in: "balance")
      try user.press("Return") { user.text("total") == "Total: 440.5" }

      try user.type("200", in: "age")
      try user.press("Return") { user.hasClass("age", "error") }
      XCTAssertEqual(user.tooltip("age"), "An age is from 0 to 150.")
      XCTAssertEqual(ada.age, 36)
      try user.type("37", in: "age")
      try user.press("Return") { ada.age == 37 }
      XCTAssertFalse(user.hasClass("age", "error"))

      try user.click("undo") { ada.age == 36 }
      try user.click("undo") { ada.balance == 100 }
      try user.click("undo") { ada.name == "Ada" }
      try user.wait { !user.isSensitive("undo") }
      XCTAssertEqual(user.text("total"), "Total: 420.0")
      try user.click("redo") { ada.name == "Augusta" }
      XCTAssertEqual(user.text("name"), "Augusta")
    }
  }

  func testRowsAreSortedInsertedAndRemoved() throws {
    try gtk {
      let user = try User()
      XCTAssertEqual(user.rows, ["Ada", "Grace", "Emmy"])
      try user.clickTitle(of: 0) { user.rows == ["Ada", "Emmy", "Grace"] }
      try user.click("add") { user.rows == ["Ada", "Emmy", "Grace", "New"] }
      try user.type("Zoe", in: "name")
      try user.press("Return") { user.rows == ["Emmy", "Grace", "New", "Zoe"] }
      XCTAssertEqual(user.register.selected?.name, "Zoe")
      try user.click("remove") { user.rows == ["Emmy", "Grace", "New"] }
      XCTAssertEqual(user.text("total"), "Total: 320.0")
      try user.click("undo") { user.rows == ["Emmy", "Grace", "New", "Zoe"] }
      try user.clickTitle(of: 1) { user.rows == ["New", "Zoe", "Emmy", "Grace"] }
    }
  }

  func testWindowsAndTheirObjectsGo() throws {
    try gtk {
      weak var lastWindow: PeopleWindow?
      weak var lastPerson: PeopleExample.Person?
      let living = Living()
      for _ in 0..<500 {
        let register = PeopleExample.Register()
        register.people = [
          PeopleExample.Person("Ada", 36, 1), PeopleExample.Person("Grace", 85, 2),
        ]
        let window = try PeopleWindow(register)
        living.count(window.object("window"), window.object("sorted"), window.object("name"))
        living.count(GObjectMirror.of(register.people[0]))
        // Rows and their mirrors are made as the window is laid out.
        window.present()
        runMainLoop()
        register.people[0].balance += 1
        runMainLoop()
        (lastWindow, lastPerson) = (window, register.people[0])
      }
      runMainLoop()
      XCTAssertNil(lastWindow)
      XCTAssertNil(lastPerson)
      XCTAssertEqual(living.number, 0)
      XCTAssertEqual(g_list_model_get_n_items(gtk_window_get_toplevels()), 0)
    }
  }
}

/// Counts GObjects that haven't been finalised.
@MainActor
private final class Living {
  private(set) var number = 0

  func count(_ objects: OpaquePointer...) {
    for object in objects { note(UnsafeMutablePointer(object)) }
  }

  /// Takes over the reference.
  func count(_ mirror: UnsafeMutablePointer<GObject>) {
    note(mirror)
    g_object_unref(mirror)
  }

  private func note(_ object: UnsafeMutablePointer<GObject>) {
    number += 1
    g_object_weak_ref(
      object,
      { data, _ in
        let address = Int(bitPattern: data)
        MainActor.assumeIsolated {
          Unmanaged<Living>.fromOpaque(UnsafeRawPointer(bitPattern: address)!)
            .takeUnretainedValue().number -= 1
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

/// A user of the window, whose mouse and keyboard are xdotool's.
@MainActor
private final class User {
  let register = PeopleExample.Register()
  private let window: PeopleWindow

  init() throws {
    let program = "/usr/bin/xdotool"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw XCTSkip("xdotool, which types and clicks, is not installed (Debian: xdotool).")
    }
    register.people = [
      PeopleExample.Person("Ada", 36, 100), PeopleExample.Person("Grace", 85, 250),
      PeopleExample.Person("Emmy", 53, 70),
    ]
    window = try PeopleWindow(register)
    window.present()
    // The display has no window manager: the keyboard is that of the window under the pointer.
    try xdotool("mousemove", "300", "300")
    let top = UnsafeMutablePointer<GtkWindow>(window.object("window"))
    try wait { gtk_window_is_active(top) != 0 }
  }

  // MARK: What the user does

  /// Replaces the text of an entry.
  func type(_ text: String, in id: String) throws {
    let (x, y) = place(of: widget(id))
    try xdotool("mousemove", x, y, "click", "1", "key", "ctrl+a", "type", text)
    try wait { self.text(id) == text }
  }

  func press(_ key: String, until isDone: () -> Bool) throws {
    try xdotool("key", key)
    try wait(until: isDone)
  }

  func click(_ id: String, until isDone: () -> Bool) throws {
    try click(widget(id), until: isDone)
  }

  /// Clicks on a column's title.
  func clickTitle(of column: Int, until isDone: () -> Bool) throws {
    let header = gtk_widget_get_first_child(widget("table"))
    var title = gtk_widget_get_first_child(header)
    for _ in 0..<column { title = gtk_widget_get_next_sibling(title) }
    try click(title!, until: isDone)
  }

  private func click(_ widget: UnsafeMutablePointer<GtkWidget>, until isDone: () -> Bool) throws {
    let (x, y) = place(of: widget)
    try xdotool("mousemove", x, y, "click", "1")
    try wait(until: isDone)
  }

  // MARK: What the user sees

  var rows: [String] {
    let model = window.object("sorted")
    return (0..<g_list_model_get_n_items(model)).compactMap { index in
      guard let item = g_list_model_get_item(model, index) else { return nil }
      defer { g_object_unref(item) }
      return GObjectMirror.object(of: item, as: PeopleExample.Person.self)?.name
    }
  }

  func text(_ id: String) -> String {
    id == "total"
      ? String(cString: gtk_label_get_text(window.object(id)))
      : String(cString: gtk_editable_get_text(window.object(id)))
  }

  func hasClass(_ id: String, _ name: String) -> Bool {
    gtk_widget_has_css_class(widget(id), name) != 0
  }

  func tooltip(_ id: String) -> String? {
    gtk_widget_get_tooltip_text(widget(id)).map { String(cString: $0) }
  }

  func isSensitive(_ id: String) -> Bool { gtk_widget_is_sensitive(widget(id)) != 0 }

  // MARK: How

  private func widget(_ id: String) -> UnsafeMutablePointer<GtkWidget> {
    UnsafeMutablePointer(window.object(id))
  }

  /// The centre of a widget on the screen, whose corner is the window's.
  private func place(of widget: UnsafeMutablePointer<GtkWidget>) -> (x: String, y: String) {
    var (x, y, left, top) = (0.0, 0.0, 0.0, 0.0)
    let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
    gtk_widget_translate_coordinates(
      widget, self.widget("window"), Double(width) / 2, Double(height) / 2, &x, &y)
    gtk_native_get_surface_transform(window.object("window"), &left, &top)
    return ("\(Int(x + left))", "\(Int(y + top))")
  }

  private func xdotool(_ arguments: String...) throws {
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/xdotool")
    tool.arguments = arguments
    try tool.run()
    try wait { !tool.isRunning }
    XCTAssertEqual(tool.terminationStatus, 0)
  }

  /// Runs the main loop until a condition holds, and does what waits then.
  func wait(file: StaticString = #filePath, line: UInt = #line, until isDone: () -> Bool) throws {
    guard runMainLoop(until: isDone) else {
      XCTFail("The window didn't do what it should in two minutes.", file: file, line: line)
      throw CancellationError()
    }
    runMainLoop()
  }
}
