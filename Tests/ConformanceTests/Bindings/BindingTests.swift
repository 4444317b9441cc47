import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("One-way bindings")
struct BindingTests {
  private let log = ChangeLog()
  private let person = Person()
  private let label = PlainLabel()

  @Test("A binding sets the initial value and every change, and nothing after it ends")
  func follows() {
    let binding = person.kvo.fullName.bind(to: label.kvo.text)
    person.firstName = "Grace"
    person.lastName = "Hopper"
    #expect(label.history == ["Ada Lovelace", "Grace Lovelace", "Grace Hopper"])
    #expect("\(binding)" == "KeyValueBinding(fullName -> PlainLabel, valid)")
    binding.invalidate()
    binding.invalidate()
    person.firstName = "Ada"
    #expect(label.text == "Grace Hopper" && !binding.isValid && isIdle(person))
    #expect("\(binding)" == "KeyValueBinding(fullName -> PlainLabel, ended)")
  }

  @Test("Every form binds: transformed, with a placeholder, from a string, from a held path")
  func forms() throws {
    let labels = (0..<8).map { _ in PlainLabel() }
    let slider = Slider()
    let held = KeyValuePath<Person, Double?>(\.account?.balance)
    var bindings: Set<KeyValueBinding> = []
    person.kvo.age.bind(to: labels[0].kvo.text) { String($0) }.store(in: &bindings)
    person.kvo.account.balance.bind(to: labels[1].kvo.text) { "\($0 ?? -1)" }.store(in: &bindings)
    person.kvo.account.balance.bind(to: labels[2].kvo.text) { $0.map { "\($0)" } ?? "–" }
      .store(in: &bindings)
    try person.kvo("account.balance", as: Double?.self)
      .bind(to: labels[3].kvo.text) { $0.map { "\($0)" } ?? "–" }.store(in: &bindings)
    person.kvo.nickname.bind(to: labels[4].kvo.text, placeholder: "nobody").store(in: &bindings)
    person.kvo.manager.nickname.bind(to: labels[5].kvo.text, placeholder: "nobody")
      .store(in: &bindings)
    person.kvo[held].bind(to: labels[6].kvo.text) { "\($0 ?? -1)" }.store(in: &bindings)
    person.kvo.age.bind(to: labels[7].kvo.number).store(in: &bindings)
    person.kvo.nickname.bind(to: slider.kvo.optionalText).store(in: &bindings)
    #expect(bindings.count == 9)
    #expect(labels.map(\.text) == ["36", "-1.0", "–", "–", "nobody", "nobody", "-1.0", ""])
    #expect(labels[7].number == 36 && slider.optionalText == nil)
    person.age = 37
    person.account = Account(balance: 2)
    person.nickname = "A"
    let manager = Person()
    person.manager = manager
    manager.nickname = "B"
    #expect(labels.map(\.text) == ["37", "2.0", "2.0", "2.0", "A", "B", "2.0", ""])
    #expect(labels[7].number == 37 && slider.optionalText == "A")
    bindings = []
    person.nickname = nil
    #expect(labels[4].text == "A" && isIdle(person))
  }

  @Test("An observable target notifies its observers once per change")
  func targetNotifies() {
    let slider = Slider()
    let token = slider.observe(\.text, options: .new, changeHandler: log.handler("text"))
    let binding = person.kvo.firstName.bind(to: slider.kvo.text)
    person.firstName = "Grace"
    #expect(log.take() == ["text: setting, new: \"Ada\"", "text: setting, new: \"Grace\""])
    token.invalidate()
    binding.invalidate()
  }

  @Test("K4 nil inside of an Any is set by the keys of a path, too")
  func nilInsideOfAny() {
    let (source, holder) = (Pouch(), PouchHolder())
    let binding = source.kvo.content.bind(to: holder.kvo.pouch.content)
    source.content = "a"
    #expect(described(holder.pouch.content) == "\"a\"")
    source.content = Int?.none as Any
    #expect(described(holder.pouch.content) == "nil")
    binding.invalidate()
  }

  @KeyValueObservable
  final class Pouch {
    var content: Any = 1
  }

  @KeyValueObservable
  final class PouchHolder {
    let pouch = Pouch()
  }

  @Test("A binding retains neither side, and ends when either is deallocated")
  func deaths() {
    var source: Person? = Person()
    var target: PlainLabel? = PlainLabel()
    weak let weakSource = source
    weak let weakTarget = target
    let first = source!.kvo.firstName.bind(to: target!.kvo.text)
    let other = Person()
    let second = other.kvo.firstName.bind(to: target!.kvo.text)
    source = nil
    #expect(weakSource == nil && !first.isValid && second.isValid)
    target = nil
    #expect(weakTarget == nil && !second.isValid)
    other.firstName = "Grace"
    #expect(isIdle(other))
  }

  @Test("Releasing the token ends the binding and releases what its closures capture")
  func dropping() {
    let tracker = LifetimeTracker()
    var binding: KeyValueBinding?
    do {
      let witness = tracker.instance()
      binding = person.kvo.age.bind(to: label.kvo.text) { age in
        withExtendedLifetime(witness) { "\(age)" }
      }
    }
    person.age = 1
    #expect(binding?.isValid == true)
    binding = nil
    person.age = 2
    #expect(label.text == "1" && tracker.liveCount == 0 && isIdle(person))
  }

  @Test("onError receives an error of the transformation, and the target keeps its value")
  func errors() {
    let slider = Slider()
    let binding = person.kvo.firstName.bind(to: slider.kvo.value) {
      try parse($0)
    } onError: { [log] error in
      log.note("\(error)")
    }
    person.firstName = "7"
    person.firstName = "x"
    #expect(slider.value == 7 && log.take() == ["not a number.", "not a number."])
    person.firstName = "8"
    #expect(slider.value == 8)
    binding.invalidate()
  }

  @Test("Without onError, an error is reported as tolerated")
  func unhandledErrors() {
    ViolationLog.record { violations in
      let (person, slider) = (Person(), Slider())
      let binding = person.kvo.firstName.bind(to: slider.kvo.value) { try parse($0) }
      #expect(
        violations.take() == [
          "tolerated: The binding of Person.firstName and Slider passed nothing on: not a number. "
            + "Give it onError: to handle that."
        ])
      binding.invalidate()
      // An error's text needn't be a sentence.
      let other = person.kvo.firstName.bind(to: slider.kvo.value) { _ in throw CancellationError() }
      #expect(
        violations.take() == [
          "tolerated: The binding of Person.firstName and Slider passed nothing on: CancellationError(). "
            + "Give it onError: to handle that."
        ])
      other.invalidate()
    }
  }

  @Test("With validates: true, the target's validator can replace or refuse a value")
  func validation() {
    let (source, mixer) = (Slider(), Mixer())
    let unasked = source.kvo.value.bind(to: mixer.kvo.age)
    let asked = source.kvo.value.bind(
      to: mixer.kvo.limit, validates: true, onError: { [log] in log.note("\($0)") })
    source.value = 500
    #expect(mixer.age == 500 && mixer.limit == 120 && source.value == 500)
    source.value = -1
    #expect(mixer.age == -1 && mixer.limit == 120 && log.take() == ["too small."])
    let text = source.kvo.optionalText.bind(to: mixer.kvo.title, validates: true)
    source.optionalText = ""
    #expect(mixer.title == nil)
    source.optionalText = "A"
    #expect(mixer.title == "A")
    // A class without validators accepts every value.
    let label = PlainLabel()
    let plain = source.kvo.text.bind(to: label.kvo.text, validates: true)
    source.text = "t"
    #expect(label.text == "t")
    for binding in [unasked, asked, text, plain] { binding.invalidate() }
  }

  @Test("The violation of a binding that can't set its target has the binding's place")
  func placeOfViolation() {
    let (source, mixer) = (Slider(), Mixer())
    let places = Lock<[KeyValueTrace.Place?]>([])
    KeyValueViolation.withHandler({ violation in
      places.withLock { $0.append(KeyValueTrace.Place(violation.place)) }
    }) {
      source.kvo.value.bind(to: mixer.kvo.serial, fileID: "Here/There.swift", line: 7).invalidate()
      source.kvo.value.bind(
        to: mixer.kvo.next, transform: { _ in nil }, fileID: "A/B.swift", line: 8
      )
      .invalidate()
    }
    #expect(places.withLock { $0.map { $0.map { "\($0)" } } } == ["There.swift:7"])
  }

  @Test("With validates: true, a member of a value is checked by the validator of the whole value")
  func validationOfMembers() {
    let source = Slider()
    let window = Window()
    let binding = source.kvo.value.bind(
      to: window.kvo.frame.width, validates: true, onError: { [log] in log.note("\($0)") })
    source.value = 50
    #expect(window.frame == Window.Frame(width: 50, height: 10) && log.take() == [])
    source.value = 500
    #expect(window.frame == Window.Frame(width: 100, height: 10) && log.take() == [])
    source.value = -1
    #expect(window.frame == Window.Frame(width: 100, height: 10) && log.take() == ["too narrow"])
    binding.invalidate()
    let unasked = source.kvo.value.bind(to: window.kvo.frame.width)
    source.value = 500
    #expect(window.frame.width == 500)
    unasked.invalidate()
  }

  @Test("K4 A validator's answer of the wrong type is an error, also where the target is optional")
  func wrongAnswer() {
    let poll = Poll()
    let binding = poll.kvo.source.bind(
      to: poll.kvo.answer, validates: true, onError: { [log] in log.note("\($0)") })
    poll.source = 8
    #expect(poll.answer == 5)
    let error =
      "Poll.answer was given a value of the wrong type: it holds Optional<Int>, which cannot take "
      + "\"none\" of type String exactly."
    #expect(log.take() == [error, error])
    binding.invalidate()
  }

  @Test("A binding sets the current value, even if another observer has changed it")
  func currentValue() {
    let early = person.observe(\.age) { person, _ in if person.age > 10 { person.age = 10 } }
    let binding = person.kvo.age.bind(to: label.kvo.text) { String($0) }
    label.history = []
    person.age = 50
    #expect(person.age == 10 && label.history == ["10", "10"])
    let late = person.observe(\.age) { person, _ in if person.age < 0 { person.age = 0 } }
    label.history = []
    person.age = -5
    #expect(person.age == 0 && label.history == ["-5", "0"])
    for token in [early, late] { token.invalidate() }
    binding.invalidate()
  }

  @Test("X1 What a transaction does to a collection is passed on once, in either direction")
  func collectionInTransaction() {
    let (source, target) = (Person(), Person())
    source.books = ["A", "B", "C"]
    let binding = source.kvo.books.bindTwoWay(to: target.kvo.books)
    func exchange(in person: Person, for title: String) {
      person.performChanges {
        let books = $0.mutableArrayValue(for: \.books)
        books.remove(at: 0)
        books.append(title)
      }
    }
    let there = target.observe(
      \.books, options: [.old, .new], changeHandler: log.handler("target"))
    exchange(in: source, for: "D")
    there.invalidate()
    #expect(
      log.take() == [
        "target: setting, old: [\"A\", \"B\", \"C\"], new: [\"B\", \"C\", \"D\"]"
      ])
    let back = source.observe(
      \.books, options: [.old, .new], changeHandler: log.handler("source"))
    exchange(in: target, for: "E")
    back.invalidate()
    #expect(
      log.take() == [
        "source: setting, old: [\"B\", \"C\", \"D\"], new: [\"C\", \"D\", \"E\"]"
      ])
    binding.invalidate()
  }

  @Test("A chain passes a change from end to end")
  func chain() {
    let mixers = (0..<100).map { _ in Mixer() }
    let bindings = zip(mixers, mixers.dropFirst()).map { $0.kvo.volume.bind(to: $1.kvo.volume) }
    mixers[0].volume = 9
    #expect(mixers.allSatisfy { $0.volume == 9 })
    mixers[50].volume = 4
    #expect(mixers.map(\.volume) == Array(repeating: 9, count: 50) + Array(repeating: 4, count: 50))
    for binding in bindings { binding.invalidate() }
    #expect(mixers.allSatisfy { isIdle($0) })
  }

  @Test("A cycle of one-way bindings settles, even if its transformations never agree")
  func circle() {
    let (a, b, c) = (Mixer(), Mixer(), Mixer())
    let equal = [
      a.kvo.volume.bind(to: b.kvo.volume), b.kvo.volume.bind(to: c.kvo.volume),
      c.kvo.volume.bind(to: a.kvo.volume),
    ]
    b.volume = 5
    #expect([a, b, c].map(\.volume) == [5, 5, 5])
    for binding in equal { binding.invalidate() }
    let lossy = [
      a.kvo.volume.bind(to: b.kvo.volume) { $0 + 1 },
      b.kvo.volume.bind(to: a.kvo.volume) { $0 + 1 },
    ]
    let token = a.observe(\.volume) { [log] _, _ in log.note("a") }
    a.volume = 0
    // Once around the cycle, and once more because `a` changed during it.
    #expect(log.take() == ["a", "a", "a"])
    #expect([a.volume, b.volume] == [4, 3])
    token.invalidate()
    for binding in lossy { binding.invalidate() }
  }

  @Test("A target whose observer changes the source receives the newer value")
  func targetChangesSource() {
    let mixer = Mixer()
    let slider = Slider()
    let binding = mixer.kvo.volume.bind(to: slider.kvo.value)
    let token = slider.observe(\.value) { slider, _ in
      if slider.value > 10 { mixer.volume = 10 }
    }
    mixer.volume = 50
    #expect(mixer.volume == 10 && slider.value == 10)
    token.invalidate()
    binding.invalidate()
  }

  @Test("An object can be bound to itself")
  func itself() {
    let mixer = Mixer()
    let binding = mixer.kvo.volume.bind(to: mixer.kvo.age)
    let same = mixer.kvo.gain.bind(to: mixer.kvo.gain)
    mixer.volume = 3
    mixer.gain = 2
    #expect(mixer.age == 3 && mixer.gain == 2)
    binding.invalidate()
    same.invalidate()
    #expect(isIdle(mixer))
  }

  @Test("A binding can end while it passes on a change")
  func endedWhilePassing() {
    let slider = Slider()
    var binding: KeyValueBinding?
    let token = slider.observe(\.value) { _, _ in binding = nil }
    let mixer = Mixer()
    binding = mixer.kvo.volume.bind(to: slider.kvo.value)
    mixer.volume = 2
    mixer.volume = 3
    #expect(slider.value == 2 && binding == nil && isIdle(mixer))
    token.invalidate()
  }
}

@MainActor
@Suite("Bindings on the main actor")
struct MainActorBindingTests {
  @KeyValueObservable
  @MainActor
  final class Screen {
    var title = ""
    var count = ""
  }

  @Test("Main-actor objects can be bound to each other and to other objects")
  func bindings() {
    let model = ViewModel()
    let other = ViewModel()
    let screen = Screen()
    let slider = Slider()
    let bindings = [
      model.kvo.title.bind(to: screen.kvo.title),
      model.kvo.count.bind(to: screen.kvo.count) { String($0) },
      slider.kvo.text.bind(to: screen.kvo.title),
      model.kvo.title.bindTwoWay(to: other.kvo.title),
      model.kvo.count.bindTwoWay(to: slider.kvo.value),
      slider.kvo.value.bindTwoWay(to: other.kvo.count),
    ]
    other.title = "b"
    #expect(model.title == "b" && screen.title == "b")
    other.count = 5
    #expect(slider.value == 5 && model.count == 5 && screen.count == "5")
    for binding in bindings { binding.invalidate() }
    #expect(isIdle(model, other, slider))
  }
}

/// A validator that answers in another type than the key's.
@KeyValueObservable
private final class Poll {
  var source: Int? = 7
  var answer: Int? = 5

  func validateAnswer(_ value: inout Any?) throws { value = "none" }
}

@KeyValueObservable
private final class Window {
  struct Frame: Equatable {
    var width = 10
    var height = 10
  }

  struct TooNarrow: Error, CustomStringConvertible {
    var description: String { "too narrow" }
  }

  var frame = Frame()

  func validateFrame(_ value: inout Frame) throws {
    if value.width < 0 { throw TooNarrow() }
    value.width = min(value.width, 100)
  }
}
