import CGtk4
import KeyValueGTK
import KeyValueObserving
import XCTest

/// Selected rows and a key that agree.
final class SelectionTests: GTKTestCase {
  func testAKeyAndASelectionAgree() throws {
    try gtk {
      let people = [Person("Ada"), Person("Grace"), Person("Kay")]
      let register = Register(people)
      let log = Told(register)
      register.selected = people[2]
      let selection = quietSelection(of: register.kvo.people.listModel())
      let binding = register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
      gtk_single_selection_set_selected(selection, 1)
      XCTAssertTrue(register.selected === people[1])
      register.selected = people[0]
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 0)
      register.selected = nil
      XCTAssertEqual(gtk_single_selection_get_selected(selection), .max)
      gtk_single_selection_set_selected(selection, 1)
      register.people.remove(at: 1)
      XCTAssertNil(register.selected, "A row that goes isn't selected any more.")
      XCTAssertEqual(log.take(), ["Kay", "Grace", "Ada", "nil", "Grace", "nil"])
      unref(selection)
      XCTAssertFalse(binding.isValid)
    }
  }

  func testASelectionFollowsItsRow() throws {
    try gtk {
      let people = [Person("c"), Person("b"), Person("a")]
      let register = Register(people)
      let expression = gtk_property_expression_new(
        GObjectMirror.register(Person.self).type, nil, "name")
      let sorter = UnsafeMutableRawPointer(gtk_string_sorter_new(expression)!)
      let sorted = gtk_sort_list_model_new(
        register.kvo.people.listModel(rearrangedBy: \.name),
        sorter.assumingMemoryBound(to: GtkSorter.self))
      let selection = quietSelection(of: sorted!)
      defer { unref(selection) }
      let log = Told(register)
      register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      register.selected = people[0]
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
      people[0].name = "A"
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 0)
      register.mutableArrayValue(for: \.people).insert(Person("0"), at: 0)
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 1)
      XCTAssertTrue(register.selected === people[0])
      XCTAssertEqual(log.take(), ["c"], "The key is set only by what selects another row.")
    }
  }

  func testAnObjectIsSelectedWhenItEnters() throws {
    try gtk {
      let register = Register([Person("Ada")])
      let selection = quietSelection(of: register.kvo.people.listModel())
      defer { unref(selection) }
      let log = Told(register)
      register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      let grace = Person("Grace")
      register.selected = grace
      XCTAssertEqual(gtk_single_selection_get_selected(selection), .max)
      register.people.append(Person("Kay"))
      XCTAssertEqual(gtk_single_selection_get_selected(selection), .max)
      register.people.append(grace)
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
      // Once another row is selected, nothing waits.
      let mary = Person("Mary")
      register.selected = mary
      gtk_single_selection_set_selected(selection, 0)
      register.people.append(mary)
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 0)
      register.selected = mary
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 3)
      XCTAssertEqual(log.take(), ["Grace", "Mary", "Ada", "Mary"])
    }
  }

  func testAutoselectDoesNotOvertakeTheKey() throws {
    try gtk {
      let register = Register()
      let selection = gtk_single_selection_new(register.kvo.people.listModel())!
      defer { unref(selection) }
      let log = Told(register)
      register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      let grace = Person("Grace")
      register.selected = grace
      register.people = [Person("Ada"), grace]
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 1)
      XCTAssertTrue(register.selected === grace)
      // What GTK selects by itself, the key follows.
      register.people.removeLast()
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 0)
      XCTAssertEqual(log.take(), ["Grace", "Ada"])
    }
  }

  func testAListViewKnowsItsRows() throws {
    try gtk {
      for autoselect: gboolean in [0, 1] {
        let register = Register()
        let selection = gtk_single_selection_new(register.kvo.people.listModel())!
        gtk_single_selection_set_autoselect(selection, autoselect)
        register.kvo.selected.bindTwoWay(to: selection, "selected-item")
        // The view learns of the binding's rows after the binding: it was made later.
        let view = Widget(gtk_list_view_new(selection, gtk_signal_list_item_factory_new()))
        let window = Widget(gtk_window_new())
        gtk_window_set_child(
          UnsafeMutableRawPointer(window.pointer).assumingMemoryBound(to: GtkWindow.self),
          view.pointer)
        let (ada, grace) = (Person("Ada"), Person("Grace"))
        register.selected = grace
        register.people = [ada, grace]
        XCTAssertEqual(gtk_single_selection_get_selected(selection), 1)
        let kay = Person("Kay")
        register.selected = kay
        register.people.append(kay)
        XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
        XCTAssertTrue(register.selected === kay)
        gtk_window_destroy(
          UnsafeMutableRawPointer(window.pointer).assumingMemoryBound(to: GtkWindow.self))
      }
    }
  }

  func testTheKeyKeepsAnAbsentObject() throws {
    try gtk {
      let people = [Person("Ada"), Person("Grace")]
      let register = Register(people)
      let selection = quietSelection(of: register.kvo.people.listModel())
      defer { unref(selection) }
      register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      let mary = Person("Mary")
      // A handler that runs while the selection still has a change to tell.
      let signals = Signals.notify(selection, "selected")
      signals.whenCalled = { if register.selected === people[0] { register.selected = mary } }
      register.selected = people[0]
      XCTAssertTrue(register.selected === mary)
      XCTAssertEqual(gtk_single_selection_get_selected(selection), .max)
      register.people.append(mary)
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
      signals.disconnect()
    }
  }

  func testAnErrorGoesWhenTheSidesAgree() throws {
    try gtk {
      let register = Register([Person("Ada")])
      let ada = register.people[0]
      let store = g_list_store_new(kvo_type_object)!
      let (mirror, none) = (GObjectMirror.of(ada), gtk_string_object_new("None")!)
      g_list_store_append(store, mirror)
      g_list_store_append(store, UnsafeMutableRawPointer(none))
      unref(mirror)
      unref(none)
      let selection = quietSelection(of: store)
      defer { unref(selection) }
      register.selected = ada
      let binding = register.kvo.selected.bindTwoWay(to: selection, "selected-item")
      gtk_single_selection_set_selected(selection, 1)
      XCTAssertEqual(binding.error.map { "\($0)" }, "The object is no mirror of a Person.")
      XCTAssertTrue(register.selected === ada)
      gtk_single_selection_set_selected(selection, 0)
      XCTAssertNil(binding.error)
    }
  }

  func testAValidatorMaySelectAnother() throws {
    try gtk {
      let people = [Person("Ada"), Person("locked"), Person("alias")]
      let choice = Choice(people)
      let selection = quietSelection(of: choice.kvo.people.listModel())
      defer { unref(selection) }
      let binding = choice.kvo.chosen.bindTwoWay(to: selection, "selected-item")
      gtk_single_selection_set_selected(selection, 2)
      XCTAssertTrue(choice.chosen === people[0])
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 0)
      gtk_single_selection_set_selected(selection, 1)
      XCTAssertTrue(choice.chosen === people[0])
      XCTAssertEqual(binding.error.map { "\($0)" }, "Locked.")
      choice.chosen = people[2]
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2)
      XCTAssertNil(binding.error)
    }
  }

  func testADropDown() throws {
    try gtk {
      let people = [Person("Ada"), Person("Grace")]
      let register = Register(people)
      register.selected = people[1]
      let dropDown = Widget(gtk_drop_down_new(register.kvo.people.listModel(), nil))
      register.kvo.selected.bindTwoWay(to: dropDown.pointer, "selected-item")
      XCTAssertEqual(dropDown.pointer.integer("selected"), 1)
      dropDown.pointer.set("selected", 0)
      XCTAssertTrue(register.selected === people[0])
      register.selected = people[1]
      XCTAssertEqual(dropDown.pointer.integer("selected"), 1)
      register.people = []
      let mary = Person("Mary")
      register.selected = mary
      register.people = [people[0], mary]
      XCTAssertEqual(dropDown.pointer.integer("selected"), 1)
      XCTAssertTrue(register.selected === mary)
    }
  }
}

/// Notes the names of the selected people.
@MainActor
private final class Told {
  private var lines: [String] = []
  private var token: KeyValueObservation?

  init(_ register: Register) {
    token = register.observe(\.selected) { [unowned self] register, _ in
      lines.append(register.selected?.name ?? "nil")
    }
  }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

@MainActor @KeyValueObservable
private final class Choice {
  var people: [Person]
  var chosen: Person?

  init(_ people: [Person]) { self.people = people }

  func validateChosen(_ value: inout Person?) throws {
    if value?.name == "locked" { throw Refusal(description: "Locked.") }
    if value?.name == "alias" { value = people[0] }
  }
}

/// A selection that selects nothing by itself.
@MainActor private func quietSelection(of list: OpaquePointer) -> OpaquePointer {
  let selection = gtk_single_selection_new(list)!
  gtk_single_selection_set_autoselect(selection, 0)
  gtk_single_selection_set_can_unselect(selection, 1)
  return selection
}
