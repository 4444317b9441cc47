import CGtk4
import KeyValueGTK
import KeyValueObserving
import XCTest

/// Two-way bindings between keys and widgets.
final class TwoWayBindingTests: GTKTestCase {
  func testBothSidesFollow() throws {
    try gtk {
      let person = Person("Ada")
      let entry = Widget(gtk_entry_new())
      let binding = person.kvo.name.bindTwoWay(to: entry.pointer, "text")
      XCTAssertEqual(entry.text, "Ada")
      person.name = "Grace"
      XCTAssertEqual(entry.text, "Grace")
      entry.text = "Mary"
      XCTAssertEqual(person.name, "Mary")
      XCTAssertTrue(binding.isValid)
      XCTAssertNil(binding.error)
    }
  }

  func testEachTypeHasItsText() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entries = (0..<6).map { _ in Widget(gtk_entry_new()) }
      person.kvo.age.bindTwoWay(to: entries[0].pointer, "text")
      person.kvo.balance.bindTwoWay(to: entries[1].pointer, "text")
      person.kvo.nickname.bindTwoWay(to: entries[2].pointer, "text")
      person.kvo.children.bindTwoWay(to: entries[3].pointer, "text")
      person.kvo.priority.bindTwoWay(to: entries[4].pointer, "text")
      person.kvo.colour.bindTwoWay(to: entries[5].pointer, "text")
      XCTAssertEqual(entries.map(\.text), ["36", "0.0", "", "", "1", ""])
      for (entry, text) in zip(entries, ["37", " 2.5", "Countess", "3", "2", "red"]) {
        entry.text = text
      }
      XCTAssertEqual(person.age, 37)
      XCTAssertEqual(person.balance, 2.5)
      XCTAssertEqual(person.nickname, "Countess")
      XCTAssertEqual(person.children, 3)
      XCTAssertEqual(person.priority, .high)
      XCTAssertEqual(person.colour, .red)
      for entry in entries { entry.text = "" }
      XCTAssertEqual(person.age, 37)
      XCTAssertEqual(person.balance, 2.5)
      XCTAssertNil(person.nickname)
      XCTAssertNil(person.children)
      XCTAssertEqual(person.priority, .high)
      XCTAssertNil(person.colour)
      XCTAssertEqual(entries.map(\.showsError), [true, true, false, false, true, false])
      XCTAssertEqual(
        entries.map(\.tooltip),
        [
          "“” isn't a whole number.", "“” isn't a number.", nil, nil, "“” isn't a whole number.",
          nil,
        ])
    }
  }

  func testWidgetsHaveTheirOwnTypes() throws {
    try gtk {
      let person = Person("Ada", 36)
      let check = Widget(gtk_check_button_new())
      let spin = Widget(gtk_spin_button_new_with_range(-1000, 1000, 0.5))
      let ages = Widget(gtk_spin_button_new_with_range(-1000, 1000, 0.5))
      let dropDown = Widget(gtk_drop_down_new(nil, nil))
      let list = gtk_string_list_new(nil)
      for name in ["low", "normal", "high", "none"] { gtk_string_list_append(list, name) }
      gtk_drop_down_set_model(OpaquePointer(dropDown.pointer), list)
      g_object_unref(UnsafeMutableRawPointer(list!))
      person.kvo.isMember.bindTwoWay(to: check.pointer, "active")
      person.kvo.balance.bindTwoWay(to: spin.pointer, "value")
      person.kvo.age.bindTwoWay(to: ages.pointer, "value")
      person.kvo.priority.bindTwoWay(to: dropDown.pointer, "selected")
      XCTAssertEqual(dropDown.pointer.integer("selected"), 1)
      check.pointer.set("active", 1)
      spin.pointer.set("value", 3)
      dropDown.pointer.set("selected", 2)
      XCTAssertTrue(person.isMember)
      XCTAssertEqual(person.balance, 3)
      XCTAssertEqual(person.priority, .high)
      gtk_spin_button_set_value(OpaquePointer(ages.pointer), 40.5)
      XCTAssertEqual(person.age, 41, "It's rounded.")
      person.age = 12
      XCTAssertEqual(gtk_spin_button_get_value(OpaquePointer(ages.pointer)), 12)
      // A raw value without a case is refused, and doesn't crash.
      dropDown.pointer.set("selected", 3)
      XCTAssertEqual(person.priority, .high)
      XCTAssertEqual(dropDown.tooltip, "“3” isn't a Priority.")
      dropDown.pointer.set("selected", 0)
      XCTAssertEqual(person.priority, .low)
      XCTAssertNil(dropDown.tooltip)
    }
  }

  func testARefusalIsShownAtTheWidget() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entry = Widget(gtk_entry_new())
      gtk_widget_set_tooltip_text(entry.pointer, "In years")
      let binding = person.kvo.age.bindTwoWay(to: entry.pointer, "text")
      var ages: [Int] = []
      let token = person.kvo.age.observe(options: .new) { _, change in
        ages.append(change.newValue!)
      }
      defer { token.invalidate() }
      entry.text = "thirty"
      XCTAssertTrue(entry.showsError)
      XCTAssertEqual(entry.tooltip, "“thirty” isn't a whole number.")
      XCTAssertEqual("\(binding.error!)", "“thirty” isn't a whole number.")
      entry.text = "300"
      XCTAssertEqual(entry.tooltip, "An age is from 0 to 150.")
      entry.text = "99999999999999999999"
      XCTAssertEqual(entry.tooltip, "“99999999999999999999” isn't a whole number.")
      XCTAssertEqual(ages, [])
      entry.text = "30"
      XCTAssertFalse(entry.showsError)
      XCTAssertEqual(entry.tooltip, "In years")
      XCTAssertNil(binding.error)
      entry.text = "x"
      person.age = 30
      XCTAssertEqual(entry.text, "30", "The key's value is shown again.")
      XCTAssertFalse(entry.showsError)
      XCTAssertEqual(ages, [30, 30])
    }
  }

  func testARefusalMayBeShownElsewhere() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entry = Widget(gtk_entry_new())
      var refusals: [String] = []
      person.kvo.age.bindTwoWay(to: entry.pointer, "text") { error in
        refusals.append(error.map { "\($0)" } ?? "accepted")
      }
      entry.text = "200"
      entry.text = "40"
      entry.text = "41"
      XCTAssertEqual(refusals, ["An age is from 0 to 150.", "accepted"])
      XCTAssertFalse(entry.showsError)
    }
  }

  func testARefusalAfterAnotherIsNoAcceptance() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entry = Widget(gtk_entry_new())
      var refusals: [String] = []
      let binding = person.kvo.age.bindTwoWay(to: entry.pointer, "text") { error in
        refusals.append(error.map { "\($0)" } ?? "accepted")
      }
      entry.text = "200"
      entry.text = "300"
      XCTAssertEqual(refusals, ["An age is from 0 to 150.", "An age is from 0 to 150."])
      XCTAssertNotNil(binding.error)
      XCTAssertEqual(person.age, 36)
    }
  }

  func testAWidgetShowsTheLastErrorOfItsBindings() throws {
    try gtk {
      let person = Person("Ada", 36)
      let entry = Widget(gtk_entry_new())
      gtk_widget_set_tooltip_text(entry.pointer, "In years")
      person.kvo.age.bindTwoWay(to: entry.pointer, "text")
      let other = person.kvo.balance.bind(to: entry.pointer, "placeholder-text") { balance in
        if balance > 10 { throw Refusal(description: "Too much.") }
        return "\(balance)"
      }
      @MainActor func shown(after change: () -> Void) -> String {
        change()
        return "\(entry.showsError ? "error" : "agreement"): \(entry.tooltip ?? "")"
      }
      XCTAssertEqual(
        [
          shown { entry.text = "x" }, shown { person.balance = 20 }, shown { entry.text = "30" },
          shown { person.balance = 5 },
        ],
        [
          "error: “x” isn't a whole number.", "error: Too much.", "error: Too much.",
          "agreement: In years",
        ])
      XCTAssertEqual(
        [
          shown { person.balance = 20 }, shown { entry.text = "y" }, shown { person.balance = 5 },
          shown { person.balance = 20 }, shown { other.invalidate() }, shown { entry.text = "31" },
        ],
        [
          "error: Too much.", "error: “y” isn't a whole number.",
          "error: “y” isn't a whole number.", "error: Too much.",
          "error: “y” isn't a whole number.", "agreement: In years",
        ])
    }
  }

  func testAReplacementReachesTheWidget() throws {
    try gtk {
      let person = Person("Ada")
      let entry = Widget(gtk_entry_new())
      person.kvo.name.bindTwoWay(to: entry.pointer, "text")
      var names: [String] = []
      let token = person.kvo.name.observe(options: .new) { _, change in
        names.append(change.newValue!)
      }
      defer { token.invalidate() }
      entry.text = "!grace"
      XCTAssertEqual(entry.text, "GRACE")
      XCTAssertEqual(names, ["GRACE"])
      entry.text = "!mary"
      XCTAssertEqual(entry.text, "MARY")
      XCTAssertEqual(names, ["GRACE", "MARY"])
    }
  }

  func testAnObserverMayChangeTheKeyAgain() throws {
    try gtk {
      let person = Person("Ada", 36)
      let token = person.kvo.age.observe { person, _ in
        if person.age > 99 { person.age = 99 }
      }
      defer { token.invalidate() }
      let entry = Widget(gtk_entry_new())
      person.kvo.age.bindTwoWay(to: entry.pointer, "text")
      let slider = Widget(gtk_spin_button_new_with_range(0, 1000, 1))
      person.kvo.age.bindTwoWay(to: slider.pointer, "value")
      person.age = 120
      XCTAssertEqual(entry.text, "99")
      XCTAssertEqual(slider.pointer.integer("value"), 99)
      slider.pointer.set("value", 50)
      XCTAssertEqual(entry.text, "50")
    }
  }

  func testAPathMayLeadThroughNil() throws {
    try gtk {
      let register = Register()
      let name = Widget(gtk_entry_new())
      let age = Widget(gtk_entry_new())
      let balance = Widget(gtk_spin_button_new_with_range(0, 1000, 1))
      let colour = Widget(gtk_entry_new())
      register.kvo.selected.name.bindTwoWay(to: name.pointer, "text")
      register.kvo.selected.age.bindTwoWay(to: age.pointer, "text")
      register.kvo.selected.balance.bindTwoWay(to: balance.pointer, "value", placeholder: 100)
      register.kvo.selected.colour.bindTwoWay(to: colour.pointer, "text")
      XCTAssertEqual([name.text, age.text, colour.text], ["", "", ""])
      XCTAssertEqual(balance.pointer.integer("value"), 100)
      name.text = "typed"
      let ada = Person("Ada", 36)
      register.selected = ada
      XCTAssertEqual([name.text, age.text], ["Ada", "36"])
      XCTAssertEqual(balance.pointer.integer("value"), 0)
      name.text = ""
      age.text = ""
      colour.text = "green"
      XCTAssertEqual(ada.name, "", "The key can't be nil.")
      XCTAssertEqual(ada.age, 36)
      XCTAssertEqual(ada.colour, .green)
      XCTAssertEqual(age.tooltip, "“” isn't a whole number.")
      register.selected = Person("Grace", 40)
      XCTAssertEqual([name.text, age.text, colour.text], ["Grace", "40", ""])
      XCTAssertFalse(age.showsError)
      name.text = "Kay"
      XCTAssertEqual(ada.name, "")
      register.selected = nil
      XCTAssertEqual([name.text, age.text], ["", ""])
      XCTAssertEqual(balance.pointer.integer("value"), 100)
    }
  }

  func testATransformer() throws {
    try gtk {
      let person = Person("Ada")
      let entry = Widget(gtk_entry_new())
      let percent = KeyValueTransformer<Double, String>(
        forward: { "\(Int($0 * 100)) %" },
        backward: { text in
          guard let number = Int(text.prefix { $0 != " " }) else {
            throw Refusal(description: "A percentage is missing.")
          }
          return Double(number) / 100
        })
      person.kvo.balance.bindTwoWay(to: entry.pointer, "text", transformer: percent)
      XCTAssertEqual(entry.text, "0 %")
      entry.text = "50"
      XCTAssertEqual(person.balance, 0.5)
      XCTAssertEqual(entry.text, "50")
      person.balance = 0.25
      XCTAssertEqual(entry.text, "25 %")
      entry.text = "much"
      XCTAssertEqual(entry.tooltip, "A percentage is missing.")
    }
  }

  // MARK: Commits

  func testAnEditIsCommittedAtItsEnd() throws {
    try gtk {
      let person = Person("Ada", 36)
      let recorder = KeyValueChangeRecorder()
      try recorder.record(person, "name")
      let window = Window()
      let entry = Widget(gtk_entry_new())
      let other = Widget(gtk_entry_new())
      window.show(entry, other)
      let binding = person.kvo.name.bindTwoWay(to: entry.pointer, "text", commit: .onEnd)
      gtk_widget_grab_focus(entry.pointer)
      for text in ["G", "Gr", "Grace"] { entry.text = text }
      XCTAssertEqual(person.name, "Ada")
      gtk_widget_grab_focus(other.pointer)
      XCTAssertEqual(person.name, "Grace")
      gtk_widget_grab_focus(entry.pointer)
      for text in ["M", "Mary"] { entry.text = text }
      entry.pressEnter()
      XCTAssertEqual(person.name, "Mary")
      entry.text = "Kay"
      binding.commit()
      XCTAssertEqual(person.name, "Kay")
      entry.text = "Lost"
      person.name = "Joan"
      XCTAssertEqual(entry.text, "Joan")
      gtk_widget_grab_focus(other.pointer)
      XCTAssertEqual(person.name, "Joan", "The key's own change ends the edit.")
      // Without the focus there's no edit to end.
      entry.text = "Ruth"
      XCTAssertEqual(person.name, "Ruth")
      XCTAssertTrue(try recorder.undo())
      XCTAssertTrue(try recorder.undo())
      XCTAssertEqual(entry.text, "Kay")
      XCTAssertTrue(try recorder.undo())
      XCTAssertEqual(entry.text, "Mary", "An edit is one step.")
    }
  }

  func testAnEditEndsWithItsRow() throws {
    try gtk {
      let register = Register([Person("Ada"), Person("Grace")])
      register.selected = register.people[0]
      let window = Window()
      let entry = Widget(gtk_entry_new())
      window.show(entry)
      register.kvo.selected.name.bindTwoWay(to: entry.pointer, "text", commit: .onEnd)
      gtk_widget_grab_focus(entry.pointer)
      entry.text = "Typed"
      register.selected = register.people[1]
      XCTAssertEqual(entry.text, "Grace")
      var sets = 0
      let token = register.people[1].kvo.name.observe { _, _ in sets += 1 }
      entry.pressEnter()
      XCTAssertEqual(register.people.map(\.name), ["Ada", "Grace"])
      XCTAssertEqual(sets, 0)
      token.invalidate()
    }
  }

  func testASpinButtonCommits() throws {
    try gtk {
      let person = Person("Ada", 36)
      let window = Window()
      let spin = Widget(gtk_spin_button_new_with_range(0, 200, 1))
      let other = Widget(gtk_entry_new())
      window.show(spin, other)
      person.kvo.age.bindTwoWay(to: spin.pointer, "value", commit: .onEnd)
      gtk_widget_grab_focus(spin.pointer)
      spin.text = "40"
      XCTAssertEqual(person.age, 36)
      spin.pressEnter()
      XCTAssertEqual(person.age, 40)
      spin.text = "41"
      gtk_widget_grab_focus(other.pointer)
      XCTAssertEqual(person.age, 41)
    }
  }
}
