import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. Targets that can't be set, and sources that can't be observed")
struct BoundTargetErrorTests {
  private let person = Person()
  private let screen = Screen()

  @KeyValueObservable
  final class Outlets {
    var name: String! = "outlet"
    var screen: Screen!
  }

  @Test("L1 A property declared with ! can only be set one-way; the message names the declaration")
  func implicitlyUnwrapped() {
    ViolationLog.record { violations in
      let (person, outlets) = (Person(), Outlets())
      let bindings = [
        person.kvo.firstName.bind(to: outlets.kvo.name),
        person.kvo.firstName.bind(to: outlets.kvo.screen.text),
        outlets.kvo.screen.text.bind(to: person.kvo.firstName),
      ]
      #expect(bindings.map(\.isValid) == [true, true, false])
      outlets.screen = Screen()
      person.firstName = "Grace"
      #expect((outlets.name, outlets.screen.text) == ("Grace", "Grace"))
      let screen =
        "unobservablePath: \\Outlets.screen! unwraps the key 'screen', so it names no key. Write "
        + ".screen without !. If it is declared as Screen!, declare it as Screen?: the compiler reads "
        + ".screen with ! here."
      #expect(violations.take() == [screen])
      withExtendedLifetime(bindings) {}
    }
  }

  @Test("B2 nil for a non-optional target is the error nilValue; the target keeps its value")
  func nilValues() throws {
    screen.panel = Pane()
    var errors: [String] = []
    let source = Screen()
    source.number = 7
    let bindings = [
      source.kvo.number.bind(to: screen.kvo.panel.count, onError: { errors.append("\($0)") }),
      try source.kvo("number").bind(
        to: screen.kvo("count", as: Any?.self), onError: { errors.append("\($0)") }),
    ]
    #expect((screen.panel?.count, screen.count) == (7, 7))
    source.number = nil
    #expect((screen.panel?.count, screen.count) == (7, 7))
    #expect(
      errors == [
        "Pane.count (component 2 of 'panel.count') cannot be nil: it holds Int.",
        "Screen.count cannot be nil: it holds Int.",
      ])
    source.number = 8
    #expect((screen.panel?.count, screen.count) == (8, 8))
    #expect(bindings.allSatisfy { $0.isValid })
  }

  @Test("B2 A target that cannot be set passes readOnly to onError at once; nothing is set")
  func readOnly() {
    var errors: [String] = []
    let note: (any Error) -> Void = { errors.append("\($0)") }
    let office = Office()
    let bindings = [
      person.kvo.age.bind(to: screen.kvo.locked, onError: note),
      person.kvo.age.bind(to: screen.kvo.fixed, onError: note),
      person.kvo.age.bind(to: screen.kvo.computed, onError: note),
      person.kvo.age.bind(to: screen.kvo.text.count, onError: note),
      person.kvo.age.bind(to: office.kvo.optionalRoom.width, onError: note),
      person.kvo.age.bind(to: person.kvo.books.count, onError: note),
      person.kvo.books.count.bindTwoWay(to: screen.kvo.count, onError: note),
    ]
    #expect(
      errors == [
        "Screen.locked can be read but not set: its setter is private.",
        "Screen.fixed can be read but not set: it is declared with let.",
        "Screen.computed can be read but not set: it has no setter.",
        "Screen.text._ can be read but not set: a member on the way to it cannot be set.",
        "Office.optionalRoom.width can be read but not set: it is a member of an optional value; set the whole "
          + "value.",
        "Person.books.@count can be read but not set: it is the value of an operator.",
        "Person.books.@count can be read but not set: it is the value of an operator.",
      ])
    #expect(!bindings.contains { $0.isValid })
    #expect(screen.count == 0)
    #expect(isIdle(person, screen))
  }

  @Test("L1 Without onError, a target that cannot be set is reported to the violation handler")
  func readOnlyUnhandled() {
    ViolationLog.record { violations in
      let screen = Screen()
      let binding = Person().kvo.age.bind(to: screen.kvo.locked)
      #expect(!binding.isValid)
      #expect(
        violations.take() == [
          "unobservablePath: Screen.locked can be read but not set: its setter is private."
        ])
    }
  }

  @Test("B2 If the source can't be observed, nothing is set, even in a new owner of the target")
  func unobservableSource() {
    ViolationLog.record { violations in
      let (source, screen) = (Screen(), Screen())
      let binding = source.kvo.shout.bind(to: screen.kvo.panel.title)
      #expect(!binding.isValid)
      #expect(violations.take().count == 1)
      screen.panel = Pane()
      #expect(screen.panel?.title == "-")
      #expect(isIdle(source, screen))
    }
  }

  @Test("B2 A member of an optional object without the macro can't be set, and nor is its key")
  func membersOfOptionalObjects() {
    ViolationLog.record { violations in
      let works = Works()
      let spare = Turbine()
      works.spare = spare
      works.kvo.spare.next.value = Turbine()
      let path = String(KeyValuePath(works.kvo.spare.next))
      #expect(
        violations.take() == [
          "unobservablePath: Works.\(path) can be read but not set: it is a member of an optional value; "
            + "set the whole value."
        ])
      #expect(works.spare === spare && spare.next == nil)
    }
  }

  @Test("B2 A target that is no key is refused at once, in the words of observing it")
  func noKey() {
    ViolationLog.record { violations in
      let (person, lid) = (Person(), Lid())
      let token = lid.kvo.cached.observe { _, _ in }
      let said = violations.take()
      let binding = person.kvo.firstName.bind(to: lid.kvo.cached)
      #expect(!token.isValid && !binding.isValid)
      #expect(violations.take() == said && said.count == 1)
      lid.kvo.cached.value = "a"
      #expect(violations.take() == said && lid.cached == "")
      #expect(isIdle(person, lid))
    }
  }

  @Test("B2 A string target that can't be set is refused at once, behind nil and in a dictionary")
  func readOnlyByString() throws {
    var errors: [String] = []
    let note: (any Error) -> Void = { errors.append("\($0)") }
    let cupboard = Cupboard()
    let bindings = [
      person.kvo.age.bind(to: try cupboard.kvo("lid.length"), onError: note),
      person.kvo.age.bind(to: try cupboard.kvo("fields.age"), onError: note),
      person.kvo.age.bind(to: try cupboard.kvo("inner.fields.age"), onError: note),
    ]
    #expect(
      errors == [
        "Cupboard.lid.length can be read but not set: it has no setter.",
        "Cupboard.fields (component 1 of 'fields.age') can be read but not set: its setter is private.",
        "Cupboard.fields (component 2 of 'inner.fields.age') can be read but not set: its setter is "
          + "private.",
      ])
    #expect(!bindings.contains { $0.isValid } && isIdle(person, cupboard))
  }
}

extension Screen {
  /// A member that's no key.
  fileprivate var shout: String { text.uppercased() }
}

@KeyValueObservable
private final class Lid {
  let width = 1
  @KeyValueIgnored var cached = ""
  var length: Int { width }
}

@KeyValueObservable
private final class Cupboard {
  private(set) var fields: [String: Any] = [:]
  var lid: Lid?
  var inner: Cupboard?
}
