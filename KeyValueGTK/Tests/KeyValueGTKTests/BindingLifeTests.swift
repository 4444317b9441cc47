import CGtk4
import KeyValueGTK
import KeyValueObserving
import XCTest

/// One-way bindings, and how bindings end.
final class BindingLifeTests: GTKTestCase {
  func testAPropertyFollows() throws {
    try gtk {
      let register = Register([Person("Ada", 36), Person("Grace", 40)])
      let label = Widget(gtk_label_new(nil))
      let total = Widget(gtk_label_new(nil))
      let form = Widget(gtk_label_new(nil))
      register.people[0].kvo.summary.bind(to: label.pointer, "label")
      register.kvo.people[sum: \.age].bind(to: total.pointer, "label") { "Total: \($0)" }
      register.kvo.selected.bind(to: form.pointer, "sensitive") { $0 != nil }
      XCTAssertEqual(label.pointer.text("label"), "Ada (36)")
      XCTAssertEqual(total.pointer.text("label"), "Total: 76")
      XCTAssertEqual(form.pointer.integer("sensitive"), 0)
      register.people[0].age = 37
      register.selected = register.people[0]
      XCTAssertEqual(label.pointer.text("label"), "Ada (37)")
      XCTAssertEqual(total.pointer.text("label"), "Total: 77")
      XCTAssertEqual(form.pointer.integer("sensitive"), 1)
    }
  }

  func testATransformMayFail() throws {
    try gtk {
      let person = Person("Ada", 36)
      let label = Widget(gtk_label_new("before"))
      let binding = person.kvo.age.bind(to: label.pointer, "label") { age in
        if age > 30 { throw Refusal(description: "Too old.") }
        return "\(age)"
      }
      XCTAssertEqual(label.pointer.text("label"), "before")
      XCTAssertEqual(label.tooltip, "Too old.")
      XCTAssertTrue(binding.isValid)
      person.age = 12
      XCTAssertEqual(label.pointer.text("label"), "12")
      XCTAssertNil(label.tooltip)
    }
  }

  func testAKeyFollowsAProperty() throws {
    try gtk {
      let register = Register([Person("Ada"), Person("Grace")])
      let selection = gtk_single_selection_new(register.kvo.people.listModel())!
      let binding = register.kvo.selected.follow(selection, "selected-item")
      XCTAssertTrue(register.selected === register.people[0])
      gtk_single_selection_set_selected(selection, 1)
      XCTAssertTrue(register.selected === register.people[1])
      register.people.removeLast()
      XCTAssertTrue(register.selected === register.people[0])
      register.people = []
      XCTAssertNil(register.selected)
      let entry = Widget(gtk_entry_new())
      let person = Person("Kay", 30)
      person.kvo.age.follow(entry.pointer, "text")
      XCTAssertEqual(entry.tooltip, "“” isn't a whole number.")
      entry.text = "31"
      XCTAssertEqual(person.age, 31)
      person.age = 40
      XCTAssertEqual(entry.text, "31")
      unref(selection)
      XCTAssertFalse(binding.isValid)
    }
  }

  func testABindingEndsWithTheWidget() throws {
    try gtk {
      let person = Person("Ada")
      var entry: Widget? = Widget(gtk_entry_new())
      let pointer = entry!.pointer
      let binding = person.kvo.name.bindTwoWay(to: pointer, "text", commit: .onEnd)
      XCTAssertEqual(person.observationInfo.count, 1)
      entry = nil
      XCTAssertFalse(binding.isValid)
      XCTAssertEqual(person.observationInfo.count, 0)
      person.name = "Grace"
      binding.commit()
      binding.invalidate()
    }
  }

  func testABindingEndsWithTheObject() throws {
    try gtk {
      var person: Person? = Person("Ada")
      weak let weakPerson = person
      let entry = Widget(gtk_entry_new())
      let binding = person!.kvo.name.bindTwoWay(to: entry.pointer, "text")
      person = nil
      XCTAssertNil(weakPerson)
      XCTAssertFalse(binding.isValid)
      entry.text = "typed"
      XCTAssertEqual(handlers(of: entry.pointer, "notify"), 0)
    }
  }

  func testNothingOfABindingOutlivesTheObject() throws {
    try gtk {
      var person: Person? = Person("Ada", 36)
      var controller: Register? = Register()
      weak let weakController = controller
      let label = Widget(gtk_label_new(nil))
      gtk_widget_set_tooltip_text(label.pointer, "In years")
      weak let binding = person!.kvo.age.bind(to: label.pointer, "label") { [controller] age in
        if age > 40 { throw Refusal(description: "Too old.") }
        return "\(age), \(controller?.people.count ?? 0) people"
      }
      controller = nil
      XCTAssertEqual(label.pointer.text("label"), "36, 0 people")
      XCTAssertNotNil(weakController)
      XCTAssertEqual(binding?.isValid, true)
      person!.age = 41
      XCTAssertEqual(label.tooltip, "Too old.")
      person = nil
      XCTAssertNil(binding)
      XCTAssertNil(weakController)
      XCTAssertEqual(label.tooltip, "In years")
      XCTAssertFalse(label.showsError)
    }
  }

  func testTheObjectMayDieOnAnotherThread() throws {
    try gtk {
      for isTypedBeforeTheLoopRuns in [false, true] {
        let item = SendablePerson("Ada")
        let entry = Widget(gtk_entry_new())
        weak let binding = item.person!.kvo.name.bindTwoWay(to: entry.pointer, "text")
        let thread = Thread { item.person = nil }
        thread.start()
        // Reading the person here might make this thread the one that releases it last.
        while !thread.isFinished { sched_yield() }
        XCTAssertEqual(binding?.isValid, false)
        if isTypedBeforeTheLoopRuns { entry.text = "typed" } else { runMainLoop() }
        XCTAssertNil(binding)
        XCTAssertEqual(handlers(of: entry.pointer, "notify"), 0)
        runMainLoop()
      }
    }
  }

  func testABindingMayEndWhileTheWidgetIsDestroyed() throws {
    try gtk {
      let person = Person("Ada")
      // Its text field is gone when it's destroyed.
      var label: Widget? = Widget(gtk_editable_label_new(""))
      let binding = person.kvo.name.bindTwoWay(to: label!.pointer, "text", commit: .onEnd)
      let text = Ends(of: label!.textField)
      let destructions = Signals.destroy(label!.pointer)
      destructions.whenCalled = { binding.invalidate() }
      let messages = complaints { label = nil }
      XCTAssertEqual(messages, [])
      XCTAssertEqual(destructions.take(), ["destroy"])
      XCTAssertEqual(text.count, 1)
      XCTAssertEqual(person.observationInfo.count, 0)
    }
  }

  func testATextFieldThatOutlivesItsWidgetHasNoHandler() throws {
    try gtk {
      let person = Person("Ada")
      @MainActor func handlersLeft(isBound: Bool) -> Int {
        var label: Widget? = Widget(gtk_editable_label_new(""))
        let text = Held(label!.textField)
        if isBound { person.kvo.name.bindTwoWay(to: label!.pointer, "text", commit: .onEnd) }
        label = nil
        return disconnectAll("activate", of: text)
      }
      XCTAssertEqual(handlersLeft(isBound: true), handlersLeft(isBound: false))
    }
  }

  func testABindingCanBeEnded() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entry = Widget(gtk_entry_new())
      var binding: GObjectBinding? = person.kvo.age.bindTwoWay(
        to: entry.pointer, "text", commit: .onEnd)
      weak let weakBinding = binding
      entry.text = "x"
      XCTAssertTrue(entry.showsError)
      binding?.invalidate()
      XCTAssertFalse(entry.showsError)
      XCTAssertEqual(binding?.isValid, false)
      entry.text = "40"
      person.age = 41
      XCTAssertEqual(person.age, 41)
      XCTAssertEqual(entry.text, "40")
      XCTAssertEqual(handlers(of: entry.pointer, "notify"), 0)
      binding?.invalidate()
      binding = nil
      XCTAssertNil(weakBinding)
    }
  }

  func testABindingThatEndsAtOnceIsNoMistake() throws {
    try gtk {
      let person = Person("Ada")
      let label = Widget(gtk_label_new(nil))
      KeyValueViolation.withHandler {
        XCTFail("\($0)")
      } perform: {
        person.kvo.name.bind(to: label.pointer, "label").invalidate()
      }
      XCTAssertEqual(label.pointer.text("label"), "Ada")
      XCTAssertEqual(person.observationInfo.count, 0)
    }
  }

  func testABindingMayEndInACallback() throws {
    try gtk {
      let person = Person("Ada", 36)
      // In the error's callback.
      let entry = Widget(gtk_entry_new())
      var binding: GObjectBinding?
      binding = person.kvo.age.bindTwoWay(to: entry.pointer, "text") { _ in
        binding?.invalidate()
      }
      entry.text = "x"
      XCTAssertEqual(binding?.isValid, false)
      entry.text = "50"
      XCTAssertEqual(person.age, 36)
      // In an observer of the key, which comes before the binding.
      var second: GObjectBinding?
      let token = person.kvo.age.observe { _, _ in second?.invalidate() }
      second = person.kvo.age.bindTwoWay(to: entry.pointer, "text")
      entry.text = "37"
      XCTAssertEqual(person.age, 37)
      XCTAssertEqual(second?.isValid, false)
      token.invalidate()
      // In a handler of the property, while the binding sets it.
      var third: GObjectBinding?
      let signals = Signals.notify(entry.pointer, "text")
      third = person.kvo.age.bindTwoWay(to: entry.pointer, "text")
      signals.whenCalled = { third?.invalidate() }
      person.age = 38
      XCTAssertEqual(entry.text, "38")
      XCTAssertEqual(third?.isValid, false)
      // In the first set, before the binding is returned.
      let other = Widget(gtk_entry_new())
      var all: [GObjectBinding] = []
      let early = Signals.notify(other.pointer, "text")
      early.whenCalled = { all.forEach { $0.invalidate() } }
      all.append(person.kvo.age.bindTwoWay(to: other.pointer, "text"))
      person.age = 39
      XCTAssertEqual(other.text, "39")
      XCTAssertEqual(all[0].isValid, false)
    }
  }

  func testTheWidgetMayDieInACallback() throws {
    try gtk {
      let person = Person("Ada", 36)
      var entry: Widget? = Widget(gtk_entry_new())
      let binding = person.kvo.age.bindTwoWay(to: entry!.pointer, "text")
      let signals = Signals.notify(entry!.pointer, "text")
      signals.whenCalled = { entry = nil }
      person.age = 38
      XCTAssertNil(entry)
      XCTAssertFalse(binding.isValid)
      person.age = 39
    }
  }

  func testTheObjectMayDieInACallback() throws {
    try gtk {
      let register = Register([Person("Ada", 36)])
      let entry = Widget(gtk_entry_new())
      register.people[0].kvo.age.bindTwoWay(to: entry.pointer, "text")
      let token = register.people[0].kvo.age.observe { _, _ in register.people = [] }
      entry.text = "37"
      XCTAssertFalse(token.isValid)
      entry.text = "38"
      XCTAssertEqual(handlers(of: entry.pointer, "notify"), 0)
    }
  }

  func testManyBindingsLeaveNothing() throws {
    try gtk {
      let person = Person("Ada", 36)
      let ends = (0..<200).map { _ in
        let window = Window()
        let entry = Widget(gtk_entry_new())
        window.show(entry)
        person.kvo.name.bindTwoWay(to: entry.pointer, "text", commit: .onEnd)
        person.kvo.age.bind(to: entry.pointer, "placeholder-text")
        return Ends(of: UnsafeMutableRawPointer(entry.pointer).gObject)
      }
      runMainLoop()
      XCTAssertEqual(ends.reduce(0) { $0 + $1.count }, 200)
      XCTAssertEqual(person.observationInfo.count, 0)
    }
  }
}

/// Disconnects an object's handlers of a signal, and counts them.
@MainActor func disconnectAll(_ signal: String, of object: some GObjectPointer) -> Int {
  let object = object.gObject
  let id = g_signal_lookup(signal, object.pointee.g_type_instance.g_class.pointee.g_type)
  var count = 0
  while true {
    let handler = g_signal_handler_find(object, G_SIGNAL_MATCH_ID, id, 0, nil, nil, nil)
    if handler == 0 { return count }
    g_signal_handler_disconnect(object, handler)
    count += 1
  }
}

/// How many handlers of a signal an object has that the library may have connected.
@MainActor func handlers(of object: some GObjectPointer, _ signal: String) -> Int {
  let id = g_signal_lookup(signal, kvo_type_object)
  let detail = g_quark_from_string("text")
  return g_signal_has_handler_pending(object.gObject, id, detail, 1) != 0 ? 1 : 0
}
