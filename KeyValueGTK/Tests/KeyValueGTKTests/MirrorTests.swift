import CGtk4
import KeyValueObserving
import XCTest

@testable import KeyValueGTK

/// Objects of Swift as GObjects.
final class MirrorTests: GTKTestCase {
  func testPropertiesHaveTheKeysValues() throws {
    try gtk {
      let person = Person("Ada", 36)
      let mirror = GObjectMirror.of(person)
      defer { g_object_unref(mirror) }
      XCTAssertEqual(mirror.text("name"), "Ada")
      XCTAssertEqual(mirror.integer("age"), 36)
      XCTAssertEqual(mirror.text("summary"), "Ada (36)")
      XCTAssertEqual(mirror.text("nickname"), "")
      XCTAssertEqual(mirror.text("children"), "")
      XCTAssertEqual(mirror.integer("priority"), 1)
      XCTAssertEqual(mirror.text("colour"), "")
      XCTAssertNil(mirror.object("manager"))
      person.nickname = "Countess"
      person.children = 3
      person.colour = .green
      XCTAssertEqual(mirror.text("nickname"), "Countess")
      XCTAssertEqual(mirror.text("children"), "3")
      XCTAssertEqual(mirror.text("colour"), "green")
      let manager = Person("Charles")
      person.manager = manager
      XCTAssertEqual(mirror.object("manager")?.text("name"), "Charles")
      person.friends = [manager, person]
      XCTAssertEqual(names(mirror.object("friends")!), ["Charles", "Ada"])
      XCTAssertEqual(mirror.object("friends")?.gObject, mirror.object("friends")?.gObject)
      person.friends = []
    }
  }

  func testChangesNotify() throws {
    try gtk {
      let person = Person("Ada", 36)
      let mirror = GObjectMirror.of(person)
      defer { g_object_unref(mirror) }
      let all = Signals.notify(mirror)
      let summary = Signals.notify(mirror, "summary")
      person.age = 37
      person.name = "Grace"
      person.friends = [Person("Kay")]
      person.manager = nil
      XCTAssertEqual(all.take(), ["age", "summary", "name", "summary", "friends", "manager"])
      XCTAssertEqual(summary.take(), ["summary", "summary"])
    }
  }

  func testSettingAPropertySetsTheKey() throws {
    try gtk {
      let person = Person("Ada", 36)
      let mirror = GObjectMirror.of(person)
      defer { g_object_unref(mirror) }
      let signals = Signals.notify(mirror)
      mirror.set("name", "Grace")
      mirror.set("age", 40)
      mirror.set("children", "2")
      mirror.set("colour", "red")
      mirror.set("nickname", "")
      XCTAssertEqual(person.name, "Grace")
      XCTAssertEqual(person.age, 40)
      XCTAssertEqual(person.children, 2)
      XCTAssertEqual(person.colour, .red)
      XCTAssertNil(person.nickname)
      mirror.set("children", "")
      XCTAssertNil(person.children)
      let manager = GObjectMirror.of(Person("Charles"))
      mirror.set("manager", manager)
      XCTAssertEqual(person.manager?.name, "Charles")
      g_object_unref(manager)
      mirror.set("manager", nil as UnsafeMutablePointer<GObject>?)
      XCTAssertNil(person.manager)
      // GObject tells what changes during a set at its end, the last one first.
      XCTAssertEqual(
        signals.take(),
        [
          "summary", "name", "summary", "age", "children", "colour", "nickname", "children",
          "manager", "manager",
        ])
    }
  }

  func testARefusalIsASignal() throws {
    try gtk {
      let person = Person("Ada", 36)
      let mirror = GObjectMirror.of(person)
      defer { g_object_unref(mirror) }
      let refusals = Signals.refused(mirror)
      let ofName = Signals.refused(mirror, "name")
      let notified = Signals.notify(mirror)
      mirror.set("age", 200)
      mirror.set("name", "nobody")
      mirror.set("children", "three")
      mirror.set("colour", "blue")
      mirror.set("priority", 9)
      XCTAssertEqual(
        refusals.take(),
        [
          "age: An age is from 0 to 150.", "name: A person has a name.",
          "children: “three” isn't a whole number.", "colour: “blue” isn't a Colour.",
          "priority: “9” isn't a Priority.",
        ])
      XCTAssertEqual(ofName.take(), ["name: A person has a name."])
      XCTAssertEqual(notified.take(), [])
      XCTAssertEqual(person.age, 36)
      mirror.set("name", "!grace")
      XCTAssertEqual(person.name, "GRACE")
    }
  }

  func testASubclassIsASubclass() throws {
    try gtk {
      let manager = Manager("Charles", 60)
      let mirror = GObjectMirror.of(manager as Person)
      defer { g_object_unref(mirror) }
      let person = GObjectMirror.register(Person.self)
      let description = GObjectMirror.register(Manager.self)
      XCTAssertEqual(mirror.typeName, description.name)
      XCTAssertEqual(g_type_parent(description.type), person.type)
      XCTAssertEqual(mirror.text("name"), "Charles")
      XCTAssertEqual(mirror.integer("level"), 1)
      XCTAssertEqual(mirror.text("summary"), "Charles, a manager")
      let signals = Signals.notify(mirror)
      manager.level = 2
      manager.name = "Kay"
      XCTAssertEqual(signals.take(), ["level", "name", "summary"])
      // An expression of the superclass's property reads it.
      let expression = gtk_property_expression_new(person.type, nil, "name")
      var value = GValue()
      XCTAssertNotEqual(gtk_expression_evaluate(expression, mirror, &value), 0)
      XCTAssertEqual(String(cString: g_value_get_string(&value)), "Kay")
      g_value_unset(&value)
      gtk_expression_unref(expression)
      XCTAssertTrue(GObjectMirror.object(of: mirror, as: Person.self) === manager)
      XCTAssertTrue(GObjectMirror.object(of: mirror, as: Manager.self) === manager)
      XCTAssertNil(GObjectMirror.object(of: mirror, as: Register.self))
    }
  }

  func testASubclassMayMakeAKeySettable() throws {
    try gtk {
      let tank = SettableTank()
      let mirror = GObjectMirror.of(tank as Tank)
      defer { g_object_unref(mirror) }
      let signals = Signals.notify(mirror)
      let messages = complaints { mirror.set("total", 8) }
      XCTAssertEqual(messages, [])
      XCTAssertEqual(tank.part, 4)
      XCTAssertEqual(mirror.integer("total"), 8)
      XCTAssertEqual(Set(signals.take()), ["part", "total"])
      tank.part = 5
      tank.level = 7
      XCTAssertEqual(signals.take(), ["part", "total", "level"])
      XCTAssertEqual(mirror.integer("total"), 10)
      XCTAssertEqual(mirror.integer("level"), 7)
      let mirrorOfSuperclass = GObjectMirror.of(Tank())
      defer { g_object_unref(mirrorOfSuperclass) }
      XCTAssertEqual(mirrorOfSuperclass.integer("total"), 2)
    }
  }

  func testNames() throws {
    try gtk {
      XCTAssertEqual(GObjectMirror.register(Outer.Box<Int>.self).name, "Box-Int")
      XCTAssertEqual(
        GObjectMirror.register(Other.Twin.self).name, "Twin", "The first class has its own name.")
      XCTAssertEqual(GObjectMirror.register(Outer.Twin.self).name, "KeyValueGTKTests-Outer-Twin")
      XCTAssertEqual(GObjectMirror.register(It.self).name, "KeyValueGTKTests-It")
      XCTAssertEqual(GObjectMirror.register(GtkLabel.self).name, "KeyValueGTKTests-GtkLabel")
      let names = GObjectMirror.register(Names.self, name: "Test_Names")
      XCTAssertEqual(names.name, "Test_Names")
      XCTAssertEqual(names.properties, ["first_name": "first-name", "plain": "plain"])
      XCTAssertEqual(
        names.omitted,
        [
          "_hidden": "GObject has no such name", "größe": "GObject has no such name",
          "tags": "it isn't an array of observable objects",
          "set": "a list has an order, and a set has none",
          "any": "GObject has no values of type Optional<Any>",
          "tuple": "GObject has no values of type (Int, Int)",
        ])
      let object = Names()
      let mirror = GObjectMirror.of(object)
      defer { g_object_unref(mirror) }
      mirror.set("first_name", "Ada")
      XCTAssertEqual(object.first_name, "Ada")
      XCTAssertEqual(mirror.text("first-name"), "Ada")
    }
  }

  // MARK: Lives

  func testAMirrorIsOneObject() throws {
    try gtk {
      let person = Person("Ada")
      let mirror = GObjectMirror.of(person)
      let again = GObjectMirror.of(person)
      XCTAssertEqual(mirror, again)
      g_object_unref(mirror)
      g_object_unref(again)
      XCTAssertEqual(GObjectMirror.of(person), mirror, "It lives as long as its object.")
      g_object_unref(mirror)
      g_object_set_data(mirror, "mark", UnsafeMutableRawPointer(bitPattern: 5))
      let signals = Signals.notify(mirror, "name")
      person.name = "Grace"
      XCTAssertEqual(signals.take(), ["name"])
      XCTAssertEqual(Int(bitPattern: g_object_get_data(GObjectMirror.of(person), "mark")), 5)
      g_object_unref(mirror)
    }
  }

  func testAMirrorThatIsHeldHoldsItsObject() throws {
    try gtk {
      let before = Mirror.count
      var person: Person? = Person("Ada")
      weak let weakPerson = person
      let mirror = GObjectMirror.of(person!)
      person = nil
      XCTAssertNotNil(weakPerson)
      XCTAssertEqual(mirror.text("name"), "Ada")
      XCTAssertEqual(Mirror.count, before + 1)
      g_object_unref(mirror)
      XCTAssertNil(weakPerson)
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testAMirrorThatIsHeldAgainHoldsItsObject() throws {
    try gtk {
      var person: Person? = Person("Ada")
      weak let weakPerson = person
      g_object_unref(GObjectMirror.of(person!))
      let mirror = GObjectMirror.of(person!)
      person = nil
      XCTAssertEqual(weakPerson?.name, "Ada")
      XCTAssertEqual(mirror.text("name"), "Ada")
      g_object_unref(mirror)
      XCTAssertNil(weakPerson)
    }
  }

  func testAMirrorEndsWithItsObject() throws {
    try gtk {
      let before = Mirror.count
      var person: Person? = Person("Ada")
      let mirror = GObjectMirror.of(person!)
      let ends = Ends(of: mirror)
      g_object_unref(mirror)
      XCTAssertEqual(Mirror.count, before + 1)
      XCTAssertEqual(ends.count, 0)
      person = nil
      XCTAssertEqual(Mirror.count, before)
      XCTAssertEqual(ends.count, 1)
    }
  }

  func testAMirrorEndsWithAnObjectThatDiesOnAnotherThread() throws {
    try gtk {
      let before = Mirror.count
      let item = SendablePerson("Ada")
      let mirror = GObjectMirror.of(item.person!)
      let ends = Ends(of: mirror)
      g_object_unref(mirror)
      let thread = Thread { item.person = nil }
      thread.start()
      // Reading the person here might make this thread the one that releases it last.
      while !thread.isFinished { sched_yield() }
      XCTAssertEqual(ends.count, 0)
      runMainLoop()
      XCTAssertEqual(ends.count, 1)
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testACycleOfObjectsIsNoneOfMirrors() throws {
    try gtk {
      let before = Mirror.count
      var person: Person? = Person("Ada")
      weak let weakPerson = person
      let friend = Person("Grace")
      person!.friends = [friend]
      weak let weakFriend = friend
      let mirror = GObjectMirror.of(person!)
      // The list model, which the mirror holds, has a handler and has made mirrors.
      let list = mirror.object("friends")!
      let signals = Signals.items(list)
      XCTAssertEqual(names(list), ["Grace"])
      g_object_unref(mirror)
      XCTAssertEqual(Mirror.count, before + 1)
      _ = consume friend
      XCTAssertNotNil(weakFriend)
      person!.friends = []
      XCTAssertEqual(signals.take(), ["0 -1 +0"])
      XCTAssertNil(weakFriend)
      person = nil
      XCTAssertNil(weakPerson)
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testAHandlerMayLetTheMirrorAndItsObjectGo() throws {
    try gtk {
      let before = Mirror.count
      let register = Register([Person("Ada")])
      let mirror = GObjectMirror.of(register.people[0])
      let signals = Signals.notify(mirror, "name")
      var isHeld = true
      signals.whenCalled = {
        register.people = []
        if isHeld { g_object_unref(mirror) }
        isHeld = false
      }
      register.people[0].name = "Grace"
      XCTAssertEqual(signals.take(), ["name"])
      XCTAssertEqual(Mirror.count, before)
    }
  }

  func testManyMirrorsComeAndGo() throws {
    try gtk {
      let before = Mirror.count
      var people = (0..<2_000).map { Person("\($0)") }
      for person in people { g_object_unref(GObjectMirror.of(person)) }
      XCTAssertEqual(Mirror.count, before + 2_000)
      people.removeFirst(1_500)
      XCTAssertEqual(Mirror.count, before + 500)
      people = []
      XCTAssertEqual(Mirror.count, before)
    }
  }
}

/// Counts how often an object is disposed of.
@MainActor
final class Ends {
  private(set) var count = 0

  init(of object: UnsafeMutablePointer<GObject>) {
    g_object_weak_ref(
      object,
      { data, _ in
        onMain(data!) { Unmanaged<Ends>.fromOpaque($0).takeRetainedValue().count += 1 }
      }, Unmanaged.passRetained(self).toOpaque())
  }
}

/// A place from which another thread takes its object.
final class SendablePerson: @unchecked Sendable {
  // One thread at a time uses it.
  var person: Item?

  init(_ name: String) { person = Item(name) }
}

@KeyValueObservable
final class Item {
  var name: String
  init(_ name: String) { self.name = name }
}

@MainActor @KeyValueObservable
final class Manager: Person {
  var level = 1
  override var summary: String { "\(name), a manager" }
}

@MainActor @KeyValueObservable
class Tank {
  var part = 1
  var total: Int { part * 2 }
  var level = 0
}

@MainActor @KeyValueObservable
final class SettableTank: Tank {
  override var total: Int {
    get { part * 2 }
    set { part = newValue / 2 }
  }
}

enum Outer {
  @MainActor @KeyValueObservable
  final class Box<Value> {
    var name = ""
    var value: Value?
  }

  @MainActor @KeyValueObservable
  final class Twin {
    var name = ""
  }
}

enum Other {
  @MainActor @KeyValueObservable
  final class Twin {
    var name = ""
  }
}

@MainActor @KeyValueObservable
final class It {
  var name = ""
}

@MainActor @KeyValueObservable
final class GtkLabel {
  var name = ""
}

@MainActor @KeyValueObservable
final class Names {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var first_name = ""
  var _hidden = ""
  var größe = 0
  var tags: [String] = []
  var set: Set<Int> = []
  var any: Any?
  var tuple = (1, 2)
  var plain = 0
}
