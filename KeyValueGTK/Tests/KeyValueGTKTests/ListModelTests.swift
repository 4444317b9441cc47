import CGtk4
import KeyValueObserving
import XCTest

@testable import KeyValueGTK

/// Observed arrays as list models.
final class ListModelTests: GTKTestCase {
  func testChangesAreToldAtTheirPlace() throws {
    try gtk {
      let register = Register("abcdef".map { Person("\($0)") })
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let changes = Signals.items(list)
      XCTAssertEqual(names(list), ["a", "b", "c", "d", "e", "f"])
      let people = register.mutableArrayValue(for: \.people)
      people.append(Person("g"))
      people.insert(Person("x"), at: 0)
      people.remove(at: 3)
      people[1] = Person("A")
      XCTAssertEqual(changes.take(), ["6 -0 +1", "0 -0 +1", "3 -1 +0", "1 -1 +1"])
      XCTAssertEqual(names(list), ["x", "A", "b", "d", "e", "f", "g"])
      people.remove(at: RangeSet([0..<1, 3..<5]))
      XCTAssertEqual(changes.take(), ["3 -2 +0", "0 -1 +0"])
      people.insert(contentsOf: [Person("y"), Person("z")], at: RangeSet([0..<1, 3..<4]))
      XCTAssertEqual(changes.take(), ["0 -0 +1", "3 -0 +1"])
      XCTAssertEqual(names(list), ["y", "A", "b", "z", "f", "g"])
      people.move(from: 0, to: 5)
      XCTAssertEqual(changes.take(), ["0 -1 +0", "5 -0 +1"])
      XCTAssertEqual(names(list), ["A", "b", "z", "f", "g", "y"])
      people.removeAll()
      XCTAssertEqual(changes.take(), ["0 -6 +0"])
    }
  }

  func testAnAssignmentIsOneChange() throws {
    try gtk {
      let people = "abcdef".map { Person("\($0)") }
      let register = Register(people)
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let changes = Signals.items(list)
      register.people = [people[0], people[1], Person("x"), people[4], people[5]]
      register.people.append(Person("y"))
      register.people = register.people
      register.people.swapAt(0, 1)
      register.people = []
      register.people = []
      register.people = people
      XCTAssertEqual(
        changes.take(), ["2 -2 +1", "5 -0 +1", "0 -2 +2", "0 -6 +0", "0 -0 +6"])
      XCTAssertEqual(names(list), people.map(\.name))
    }
  }

  func testAChangeAtManyPlacesIsOne() throws {
    try gtk {
      let everyone = (0..<100).map { Person("\($0)") }
      let register = Register(everyone)
      let list = register.kvo.people.listModel(rearrangedBy: \.age)
      defer { unref(list) }
      let copy = GListStoreCopy(of: list)
      let changes = Signals.items(list)
      let people = register.mutableArrayValue(for: \.people)
      @MainActor func evenPlaces(_ count: Int) -> RangeSet<Int> {
        RangeSet((0..<count).map { 2 * $0..<2 * $0 + 1 })
      }
      let evens = (0..<50).map { everyone[2 * $0] }
      people.remove(at: evenPlaces(50))
      XCTAssertEqual(changes.take(), ["0 -99 +49"])
      people.insert(contentsOf: evens, at: evenPlaces(50))
      XCTAssertEqual(changes.take(), ["0 -49 +99"])
      people.replace(at: evenPlaces(33), with: (0..<33).map { Person("new \($0)") })
      XCTAssertEqual(changes.take(), ["0 -65 +65"])
      people.replace(at: evenPlaces(32), with: evens.prefix(32))
      XCTAssertEqual(changes.take(), (0..<32).map { "\(2 * $0) -1 +1" })
      people.remove(at: evenPlaces(32))
      XCTAssertEqual(changes.take(), (0..<32).reversed().map { "\(2 * $0) -1 +0" })
      people.insert(contentsOf: evens.prefix(32), at: evenPlaces(32))
      XCTAssertEqual(changes.take(), (0..<32).map { "\(2 * $0) -0 +1" })
      XCTAssertEqual(copy.names, register.people.map(\.name))
      XCTAssertEqual(names(list), register.people.map(\.name))
      everyone[2].age += 1
      evens[32].age += 1
      XCTAssertEqual(changes.take(), ["2 -1 +1"])
    }
  }

  func testAPathMayLeadThroughNil() throws {
    try gtk {
      let register = Register()
      let list = register.kvo.selected.friends.listModel()
      defer { unref(list) }
      let changes = Signals.items(list)
      XCTAssertEqual(names(list), [])
      let ada = Person("Ada")
      ada.friends = [Person("Grace"), Person("Mary")]
      register.selected = ada
      ada.mutableArrayValue(for: \.friends).append(Person("Kay"))
      XCTAssertEqual(names(list), ["Grace", "Mary", "Kay"])
      register.selected = Person("Nobody's friend")
      ada.friends = []
      register.selected = nil
      XCTAssertEqual(changes.take(), ["0 -0 +2", "2 -0 +1", "0 -3 +0"])
    }
  }

  func testASetKeepsItsRowsInPlace() throws {
    try gtk {
      let people = "abcdef".map { Person("\($0)") }
      let club = Club()
      let list = club.kvo.members.listModel(rearrangedBy: \.age)
      let guests = club.kvo.guests.listModel()
      defer {
        unref(list)
        unref(guests)
      }
      for person in people { club.members.insert(person) }
      XCTAssertEqual(names(list), ["a", "b", "c", "d", "e", "f"])
      let changes = Signals.items(list)
      club.members.remove(people[1])
      club.members.insert(people[1])
      club.members = Set(people.reversed()).subtracting([people[0]])
      people[3].age += 1
      XCTAssertEqual(changes.take(), ["1 -1 +0", "5 -0 +1", "0 -1 +0", "1 -1 +1"])
      XCTAssertEqual(names(list), ["c", "d", "e", "f", "b"])
      XCTAssertEqual(names(guests), [])
      club.guests = [people[0]]
      XCTAssertEqual(names(guests), ["a"])
      club.guests = nil
      XCTAssertEqual(names(guests), [])
    }
  }

  func testAnotherCollectionIsAListModel() throws {
    try gtk {
      let people = "abc".map { Person("\($0)") }
      let club = Club()
      let (list, reserve) = (club.kvo.queue.listModel(), club.kvo.reserve.listModel())
      defer {
        unref(list)
        unref(reserve)
      }
      let changes = Signals.items(list)
      club.queue = ContiguousArray(people)
      club.queue.remove(at: 1)
      XCTAssertEqual(changes.take(), ["0 -0 +3", "1 -1 +0"])
      XCTAssertEqual(names(list), ["a", "c"])
      club.reserve = [people[1]]
      XCTAssertEqual(names(reserve), ["b"])
    }
  }

  func testValuesAreTexts() throws {
    try gtk {
      let club = Club()
      club.tags = ["red", "green"]
      let (tags, scores) = (club.kvo.tags.listModel(), club.kvo.scores.listModel())
      let colours = club.kvo.colours.listModel()
      defer {
        unref(tags)
        unref(scores)
        unref(colours)
      }
      let changes = Signals.items(tags)
      XCTAssertEqual(texts(tags), ["red", "green"])
      club.tags.append("red")
      club.tags.insert("blue", at: 1)
      club.tags = ["red", "green", "red"]
      club.tags = ["red", "green", "red"]
      club.tags = []
      XCTAssertEqual(changes.take(), ["2 -0 +1", "1 -0 +1", "1 -1 +0", "0 -3 +0"])
      XCTAssertEqual(texts(scores), [])
      club.scores = [7, 12]
      XCTAssertEqual(texts(scores), ["7", "12"])
      club.colours = [.green]
      XCTAssertEqual(texts(colours), ["green"])
    }
  }

  func testAHandlerMayChangeValuesAndLetTheListGo() throws {
    try gtk {
      let club = Club()
      let list = club.kvo.tags.listModel()
      XCTAssertEqual(club.observationInfo.count, 1)
      let changes = Signals.items(list)
      var told: [[String]] = []
      changes.whenCalled = {
        told.append(texts(list))
        if club.tags.count < 3 { club.tags.append("\(club.tags.count)") }
        if told.count == 3 { unref(list) }
      }
      club.tags = ["0"]
      XCTAssertEqual(told, [["0"], ["0", "1"], ["0", "1", "2"]])
      XCTAssertEqual(changes.take(), ["0 -0 +1", "1 -0 +1", "2 -0 +1"])
      XCTAssertEqual(club.observationInfo.count, 0)
      club.tags = []
    }
  }

  func testAHandlerMayChangeTheArray() throws {
    try gtk {
      let register = Register("abc".map { Person("\($0)") })
      let list = register.kvo.people.listModel(rearrangedBy: \.name)
      defer { unref(list) }
      let first = Signals.items(list)
      let second = Signals.items(list)
      first.whenCalled = {
        if register.people.count > 1 { register.people.removeFirst() }
        if let last = register.people.last, last.name == "d" { last.name = "e" }
      }
      register.people.append(Person("d"))
      // Each handler is told of one change after the other.
      XCTAssertEqual(
        first.take(), ["3 -0 +1", "0 -1 +0", "0 -1 +0", "0 -1 +0", "0 -1 +1"])
      XCTAssertEqual(
        second.take(), ["3 -0 +1", "0 -1 +0", "0 -1 +0", "0 -1 +0", "0 -1 +1"])
      XCTAssertEqual(names(list), ["e"])
    }
  }

  func testAnObserverThatComesFirstMayChangeTheArray() throws {
    try gtk {
      let register = Register("abc".map { Person("\($0)") })
      let token = register.kvo.people.observe { register, _ in
        if register.people.count == 5 { register.people.remove(at: 1) }
      }
      defer { token.invalidate() }
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let changes = Signals.items(list)
      register.mutableArrayValue(for: \.people).insert(
        contentsOf: [Person("x"), Person("y")], at: RangeSet([0..<1, 4..<5]))
      XCTAssertEqual(names(list), register.people.map(\.name))
      XCTAssertEqual(changes.take().count, 1)
    }
  }

  func testARowMovesWhenItsKeyChanges() throws {
    try gtk {
      GObjectMirror.register(Person.self)
      let people = [Person("c", 3), Person("a", 1), Person("b", 2)]
      let register = Register(people)
      let list = register.kvo.people.listModel(rearrangedBy: \.name, \.manager.name)
      let expression = gtk_property_expression_new(
        GObjectMirror.register(Person.self).type, nil, "name")
      let sorter = UnsafeMutableRawPointer(gtk_string_sorter_new(expression)!)
      let sorted = gtk_sort_list_model_new(
        list, sorter.assumingMemoryBound(to: GtkSorter.self))
      let selection = gtk_single_selection_new(sorted)!
      defer { g_object_unref(UnsafeMutableRawPointer(selection)) }
      XCTAssertEqual(names(selection), ["a", "b", "c"])
      gtk_single_selection_set_selected(selection, 1)
      let changes = Signals.items(list)
      people[2].name = "z"
      XCTAssertEqual(names(selection), ["a", "c", "z"])
      XCTAssertEqual(gtk_single_selection_get_selected(selection), 2, "It follows its row.")
      people[2].age = 99
      people[0].manager = Person("boss")
      people[0].manager?.name = "chief"
      register.mutableArrayValue(for: \.people).insert(Person("m"), at: 0)
      people[2].name = "A"
      XCTAssertEqual(changes.take(), ["2 -1 +1", "0 -1 +1", "0 -1 +1", "0 -0 +1", "3 -1 +1"])
      register.people = [people[2], people[1], people[2]]
      _ = changes.take()
      people[2].name = "y"
      people[0].name = "gone"
      XCTAssertEqual(changes.take(), ["0 -1 +1", "2 -1 +1"])
    }
  }

  func testRowsObserveWhatIsReadWhileAHandlerIsConnected() throws {
    try gtk {
      let register = Register((0..<10_000).map { Person("\($0)", $0) })
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let before = Mirror.count
      XCTAssertEqual(names(list).count, 10_000)
      XCTAssertEqual(Mirror.count, before)
      @MainActor func observers() -> Int {
        register.people.reduce(0) { $0 + $1.observationInfo.count }
      }
      XCTAssertEqual(observers(), 0)
      let item = g_list_model_get_item(list, 17)!
      XCTAssertEqual(item.text("name"), "17")
      XCTAssertEqual(observers(), 0)
      let signals = Signals.notify(item, "age")
      XCTAssertEqual(item.integer("age"), 17)
      _ = item.text("name")
      XCTAssertEqual(observers(), 1)
      register.people[17].age = 5
      register.people[17].name = "x"
      XCTAssertEqual(signals.take(), ["age"])
      signals.disconnect()
      g_object_unref(item)
      XCTAssertEqual(observers(), 0)
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testARowWithAHandlerLivesAsLongAsItsObject() throws {
    try gtk {
      let register = Register([Person("Ada")])
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let before = Mirror.count
      let item = g_list_model_get_item(list, 0)!
      let signals = Signals.notify(item)
      _ = item.text("name")
      g_object_unref(item)
      XCTAssertEqual(Mirror.count, before + 1)
      register.people[0].name = "Grace"
      XCTAssertEqual(signals.take(), ["name"])
      register.people = []
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testARowThatIsDisconnectedLastGoes() throws {
    try gtk {
      let register = Register([Person("Ada"), Person("Grace"), Person("Emmy")])
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let before = Mirror.count
      // The second time, what was learnt the first time is gone.
      for _ in 0..<2 {
        for index in guint(0)..<3 {
          let item = g_list_model_get_item(list, index)!
          let signals = Signals.notify(item)
          _ = item.text("name")
          XCTAssertEqual(register.people[Int(index)].observationInfo.count, 1)
          g_object_unref(item)
          signals.disconnect()
        }
        XCTAssertEqual(Mirror.count, before + 3)
        runMainLoop()
        XCTAssertEqual(Mirror.count, before)
        XCTAssertEqual(register.people.map { $0.observationInfo.count }, [0, 0, 0])
      }
    }
  }

  func testARowThatIsStillNeededStays() throws {
    try gtk {
      let register = Register(["held", "kept", "connected", "dead"].map { Person($0) })
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let before = Mirror.count
      let items = (guint(0)..<4).map { g_list_model_get_item(list, $0)! }
      let signals = items.map { Signals.notify($0) }
      for item in items {
        _ = item.text("name")
        g_object_unref(item)
      }
      for index in [0, 1, 3] { signals[index].disconnect() }
      let again = g_list_model_get_item(list, 0)!
      g_object_unref(GObjectMirror.of(register.people[1]))
      register.people.removeLast()
      XCTAssertEqual(Mirror.count, before + 3)
      runMainLoop()
      XCTAssertEqual(again, items[0])
      XCTAssertEqual(Mirror.count, before + 3)
      register.people[2].name = "Emmy"
      XCTAssertEqual(signals[2].take(), ["name"])
      runMainLoop()
      XCTAssertEqual(Mirror.count, before + 3)
      g_object_unref(again)
      XCTAssertEqual(Mirror.count, before + 2)
      XCTAssertEqual(GObjectMirror.of(register.people[1]), items[1].gObject)
      g_object_unref(items[1])
      register.people = []
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testALateDisconnectionIsNoticed() throws {
    try gtk {
      let register = Register([Person("Ada"), Person("Grace"), Person("Emmy")])
      let list = register.kvo.people.listModel()
      defer { unref(list) }
      let before = Mirror.count
      let items = (guint(0)..<3).map { g_list_model_get_item(list, $0)! }
      let signals = items.map { Signals.notify($0) }
      for item in items {
        _ = item.text("name")
        g_object_unref(item)
      }
      runMainLoop()
      for signal in signals { signal.disconnect() }
      let rests = (0..<1_000).contains { _ in g_main_context_iteration(nil, 0) == 0 }
      XCTAssertTrue(rests, "Nothing looks at rows again and again.")
      XCTAssertEqual(Mirror.count, before + 3)
      register.people[0].name = "Mary"
      XCTAssertEqual(Mirror.count, before + 2)
      XCTAssertEqual(names(list), ["Mary", "Grace", "Emmy"])
      XCTAssertEqual(Mirror.count, before)
      XCTAssertEqual(register.people.map { $0.observationInfo.count }, [0, 0, 0])
    }
  }

  func testTheListOutlivesItsObject() throws {
    try gtk {
      var register: Register? = Register([Person("Ada")])
      weak let weakRegister = register
      let list = register!.kvo.people.listModel()
      register = nil
      XCTAssertNil(weakRegister)
      XCTAssertEqual(names(list), ["Ada"])
      unref(list)
    }
  }

  func testRandomChanges() throws {
    try gtk {
      var random = SystemRandomNumberGenerator()
      let register = Register()
      let list = register.kvo.people.listModel(rearrangedBy: \.age)
      defer { unref(list) }
      let copy = GListStoreCopy(of: list)
      let everyone = (0..<12).map { Person("\($0)", $0) }
      let people = register.mutableArrayValue(for: \.people)
      for _ in 0..<2_000 {
        let count = register.people.count
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: people.insert(everyone.randomElement()!, at: Int.random(in: 0...count))
        case 2 where count > 0: people.remove(at: Int.random(in: 0..<count))
        case 3 where count > 0: people[Int.random(in: 0..<count)] = everyone.randomElement()!
        case 4 where count > 2: people.remove(at: RangeSet([0..<1, 2..<3]))
        case 5: register.people = everyone.shuffled().dropLast(Int.random(in: 0..<12))
        case 6 where count > 1: register.people.swapAt(0, count - 1)
        default: everyone.randomElement()!.age += 1
        }
        XCTAssertEqual(copy.names, register.people.map(\.name))
        XCTAssertEqual(names(list), register.people.map(\.name))
      }
    }
  }
}

/// Follows a list model by its signals alone.
@MainActor
final class GListStoreCopy {
  private(set) var names: [String]
  private let signals: Signals

  init(of list: OpaquePointer) {
    names = KeyValueGTKTests.names(list)
    signals = Signals.items(list)
    signals.whenCalled = { [unowned self] in
      let numbers = signals.take()[0].split { !$0.isNumber }.compactMap { Int($0) }
      let new = KeyValueGTKTests.names(list)[numbers[0]..<(numbers[0] + numbers[2])]
      names.replaceSubrange(numbers[0]..<(numbers[0] + numbers[1]), with: new)
    }
  }
}

/// The texts of a list's items.
@MainActor private func texts(_ list: OpaquePointer) -> [String] {
  (0..<g_list_model_get_n_items(list)).map { place in
    let item = g_list_model_get_item(list, place)!
    defer { g_object_unref(item) }
    return item.text("string")
  }
}
