import CGtk4
import KeyValueGTK
import KeyValueObserving
import XCTest

// The blocks of the page *Windows with GTK*, and what the page says of them.
final class WindowsWithGTKTests: GTKTestCase {
  func testBindings() throws {
    try gtk {
      let task = TaskModel()
      let (title, hours) = (Widget(gtk_entry_new()), Widget(gtk_entry_new()))
      let done = Widget(gtk_check_button_new())
      let (titleEntry, hoursEntry, doneButton) = (title.pointer, hours.pointer, done.pointer)
      let dropDown = Widget(gtk_drop_down_new(nil, nil))
      let list = gtk_string_list_new(nil)
      for name in ["low", "normal", "high"] { gtk_string_list_append(list, name) }
      gtk_drop_down_set_model(OpaquePointer(dropDown.pointer), list)
      unref(list!)
      let priorityDropDown = dropDown.pointer
      // snippet WindowsWithGTK 5
      task.kvo.title.bindTwoWay(to: titleEntry, "text", commit: .onEnd)
      task.kvo.hours.bindTwoWay(to: hoursEntry, "text")  // a Double?
      task.kvo.isDone.bindTwoWay(to: doneButton, "active")
      task.kvo.priority.bindTwoWay(to: priorityDropDown, "selected")  // an enumeration of Int
      // end
      XCTAssertEqual(priorityDropDown.integer("selected"), 1)
      hours.text = "1.5"
      XCTAssertEqual(task.hours, 1.5)
      hours.text = ""
      XCTAssertNil(task.hours)
    }
  }

  func testRefusals() throws {
    try gtk {
      let task = TaskModel()
      let (first, label) = (Widget(gtk_entry_new()), Widget(gtk_label_new(nil)))
      let (hoursEntry, message) = (first.pointer, label.pointer)
      // snippet WindowsWithGTK 6
      task.kvo.hours.bindTwoWay(to: hoursEntry, "text") { error in
        gtk_label_set_text(OpaquePointer(message), error.map { "\($0)" } ?? "")
      }
      // end
      first.text = "ten"
      XCTAssertEqual(message.text("label"), "“ten” isn't a number.")
      first.text = "10"
      XCTAssertEqual(message.text("label"), "")
    }
  }

  func testMirrors() throws {
    try gtk {
      let task = TaskModel()
      let entry = Widget(gtk_entry_new())
      // snippet WindowsWithGTK 7
      let mirror = GObjectMirror.of(task)
      g_object_bind_property(mirror, "title", entry.pointer, "text", G_BINDING_SYNC_CREATE)
      g_object_unref(mirror)
      // end
      task.title = "Write"
      XCTAssertEqual(entry.text, "Write")
    }
  }

  func testLists() throws {
    try gtk {
      let project = Project()
      project.tasks = [TaskModel(), TaskModel()]
      project.tasks[0].title = "b"
      project.tasks[1].title = "a"
      // snippet WindowsWithGTK 8
      let tasks = project.kvo.tasks.listModel(rearrangedBy: \.isDone)
      let isOpen = gtk_bool_filter_new(
        gtk_property_expression_new(GObjectMirror.register(TaskModel.self).type, nil, "isDone"))
      gtk_bool_filter_set_invert(isOpen, 1)
      let open = gtk_filter_list_model_new(tasks, UnsafeMutablePointer(isOpen))
      project.tasks[0].isDone = true  // leaves the list of open tasks
      // end
      XCTAssertEqual(g_list_model_get_n_items(open), 1)
      let item = g_list_model_get_item(open, 0)!
      XCTAssertEqual(item.text("title"), "a")
      unref(item)
      project.tags = ["home"]
      project.tasks.insert(TaskModel(), at: 0)
      project.tasks[0].title = "c"
      project.tasks.append(project.tasks.remove(at: 1))
      // snippet WindowsWithGTK 9
      let tagsDropDown = gtk_drop_down_new(project.kvo.tags.listModel(), nil)
      // end
      let dropDown = Widget(tagsDropDown)
      XCTAssertEqual(dropDown.pointer.integer("selected"), 0)
      // snippet WindowsWithGTK 10
      let selection = gtk_single_selection_new(open)!
      gtk_single_selection_set_autoselect(selection, 0)
      gtk_single_selection_set_can_unselect(selection, 1)
      project.kvo.current.bindTwoWay(to: selection, "selected-item")
      project.current = project.tasks[1]  // selects its row
      // end
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 1)
      unref(selection)
    }
  }

  func testTheProgramShowsItsWindow() throws {
    try gtk {
      let xdotool = "/usr/bin/xdotool"
      guard FileManager.default.isExecutableFile(atPath: xdotool) else {
        throw XCTSkip("There is no xdotool (Debian: xdotool).")
      }
      let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      let program = Process()
      program.executableURL = folder.appending(path: "first-window")
      let errors = Pipe()
      program.standardError = errors
      try program.run()
      defer { program.terminate() }
      let search = Process()
      search.executableURL = URL(filePath: xdotool)
      search.arguments = ["search", "--sync", "--onlyvisible", "--name", "^People$"]
      search.standardOutput = Pipe()
      try search.run()
      search.waitUntilExit()
      XCTAssertEqual(search.terminationStatus, 0)
      XCTAssertTrue(program.isRunning)
      program.terminate()
      program.waitUntilExit()
      XCTAssertEqual(
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self), "")
    }
  }
}

// snippet WindowsWithGTK 4
enum TaskPriority: Int { case low, normal, high }

@MainActor @KeyValueObservable
final class TaskModel {
  var title = ""
  var hours: Double?
  var isDone = false
  var priority = TaskPriority.normal
}
// end

@MainActor @KeyValueObservable
final class Project {
  var tasks: [TaskModel] = []
  var tags: [String] = []
  var current: TaskModel?
}
