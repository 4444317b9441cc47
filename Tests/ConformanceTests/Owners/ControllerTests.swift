import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Observes through a controller of its own.
final class ObservingOwner {
  let log: ChangeLog
  private(set) var observer: KeyValueObserverController<ObservingOwner>!

  init(_ log: ChangeLog) {
    self.log = log
    observer = KeyValueObserverController(owner: self)
  }
}

@Suite("Observing for an owner")
struct ControllerTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("Every spelling passes the owner, the object and the change to the handler")
  func spellings() throws {
    let owner = ObservingOwner(log)
    let observer = owner.observer!
    let held = KeyValuePath<Person, String>(\.firstName)
    observer.observe(person.kvo.account.balance, options: .new) { owner, _, change in
      owner.log.note("plain", change)
    }
    observer.observe(person.kvo.manager.nickname, options: .new) { owner, person, change in
      owner.log.note("optional \(person.firstName)", change)
    }
    observer.observe(person.kvo[held], options: [.old, .new]) { owner, _, change in
      owner.log.note("held", change)
    }
    observer.observe(try person.kvo("age"), options: .new) { owner, _, change in
      owner.log.note("string", change)
    }
    observer.observe(try person.kvo("nickname", as: String?.self)) { owner, _, change in
      owner.log.note("typed", change)
    }
    for keyPath in ["lastName", "fullName", "books", "tags"] {
      observer.observe(try person.kvo(keyPath)) { owner, _, change in
        owner.log.note("several \(keyPath)", change)
      }
    }
    let manager = Person()
    person.account = Account(balance: 1)
    person.manager = manager
    person.firstName = "Grace"
    person.lastName = "Hopper"
    person.age = 37
    person.books = []
    person.tags = []
    person.nickname = "G"
    #expect(
      log.take() == [
        "plain: setting, new: 1.0", "optional Ada: setting, new: nil",
        "held: setting, old: \"Ada\", new: \"Grace\"", "several fullName: setting",
        "several lastName: setting", "several fullName: setting", "string: setting, new: 37",
        "several books: setting", "several tags: setting", "typed: setting",
      ])
    #expect("\(observer)" == "KeyValueObserverController<ObservingOwner>(9 observed)")
    observer.unobserveAll()
    #expect("\(observer)" == "KeyValueObserverController<ObservingOwner>(0 observed)")
    #expect(isIdle(person, manager))
  }

  @Test("A plain key path names a key, even one that a typed path can't spell")
  func plainKeyPaths() {
    let owner = ObservingOwner(log)
    let observer = owner.observer!
    let item = Item()
    let title = \Item.title
    observer.observe(item.kvo[title], options: .new) { owner, _, change in
      owner.log.note("title", change)
    }
    // A typed path has no member of this name.
    observer.observe(item.kvo.description, options: [.old, .new]) { owner, item, change in
      owner.log.note("description of \(item.title)", change)
    }
    item.title = "Bread"
    item.description = "sliced"
    #expect(
      log.take() == [
        "title: setting, new: \"Bread\"",
        "description of Bread: setting, old: \"\", new: \"sliced\"",
      ])
    observer.unobserve(item.kvo[title])
    observer.unobserve(item.kvo.description)
    item.title = "Milk"
    item.description = ""
    #expect(log.take() == [] && isIdle(item))
  }

  @Test("Unobserving works by object, by path in every spelling, and inside a handler")
  func unobserving() throws {
    let owner = ObservingOwner(log)
    let observer = owner.observer!
    let other = Person()
    func observeAll() throws {
      for (label, person) in [("a", person), ("b", other)] {
        for key in ["age", "account.balance", "nickname"] {
          observer.observe(try person.kvo(key)) { owner, _, _ in owner.log.note("\(label) \(key)") }
        }
      }
    }
    func stir() -> [String] {
      for person in [person, other] {
        person.age += 1
        person.account = nil
        person.nickname = nil
      }
      return log.take()
    }
    let (a, b) = (
      ["a age", "a account.balance", "a nickname"], ["b age", "b account.balance", "b nickname"]
    )
    try observeAll()
    #expect(stir() == a + b)
    observer.unobserve(person)
    #expect(stir() == b && isIdle(person))
    observer.unobserve(try other.kvo("age"))
    #expect(stir() == ["b account.balance", "b nickname"])
    observer.unobserve(other.kvo.account.balance)
    #expect(stir() == ["b nickname"])
    observer.unobserve(other.kvo.nickname)
    #expect(stir() == [] && isIdle(other))
    try observeAll()
    observer.unobserve(other.kvo[KeyValuePath(\.age)])
    observer.unobserve(other.kvo.account.balance)
    observer.unobserve(other.kvo.books)
    observer.unobserve(Person())
    #expect(stir() == a + ["b nickname"])
    observer.unobserveAll()
    #expect(stir() == [] && isIdle(person, other))
    observer.observe(person.kvo.age) { [observer] owner, person, _ in
      owner.log.note("once")
      observer.unobserve(person.kvo.age)
      person.age += 1
    }
    #expect(stir() == ["once"] && isIdle(person))
  }

  @Test("A handler may unobserve in its initial call and register again")
  func initial() throws {
    let owner = ObservingOwner(log)
    owner.observer.observe(person.kvo.age, options: [.initial, .new]) { owner, person, change in
      owner.log.note("first", change)
      owner.observer.unobserve(person)
      person.age += 1
      guard person.age < 38 else { return }
      owner.observer.observe(person.kvo.age, options: .new) { owner, _, change in
        owner.log.note("second", change)
      }
    }
    person.age = 50
    #expect(log.take() == ["first: setting, new: 36", "second: setting, new: 50"])
    #expect("\(owner.observer!)" == "KeyValueObserverController<ObservingOwner>(1 observed)")
  }

  @Test("An unobservable string path is refused where it is bound, and nothing is registered")
  func refusedStrings() throws {
    let owner = ObservingOwner(log)
    #expect(
      message { owner.observer.observe(try person.kvo("agee")) { _, _, _ in } }
        == "Person has no key 'agee'. Did you mean 'age'?")
    #expect(isIdle(person))
    owner.observer.observe(try person.kvo("age")) { owner, _, change in
      owner.log.note("age", change)
    }
    #expect(
      message { owner.observer.observe(try person.kvo("fullName..x")) { _, _, _ in } }
        == "'fullName..x' is not a key path: component 2 is empty.")
    person.age = 1
    #expect(log.take() == ["age: setting"])
  }

  @Test(
    "A duplicate is ignored and reported, in any spelling; another value tail isn't a duplicate")
  func duplicates() throws {
    try ViolationLog.record { violations in
      let (log, person) = (ChangeLog(), Person())
      let owner = ObservingOwner(log)
      let observer = owner.observer!
      observer.observe(person.kvo.account.balance) { owner, _, _ in owner.log.note("first") }
      observer.observe(person.kvo[KeyValuePath(\.account?.balance)]) { owner, _, _ in
        owner.log.note("held")
      }
      observer.observe(try person.kvo("account.balance")) { owner, _, _ in
        owner.log.note("string")
      }
      let words =
        "tolerated: 'account.balance' of Person is observed by this controller of ObservingOwner already, "
        + "and the second registration was ignored. Unobserve the first, or do both things in one "
        + "handler."
      #expect(violations.take() == [words, words])
      person.account = Account()
      #expect(log.take() == ["first"])
      observer.observe(person.kvo.frame.origin.x) { owner, _, _ in owner.log.note("x") }
      observer.observe(person.kvo.frame.origin.y) { owner, _, _ in owner.log.note("y") }
      observer.observe(person.kvo.frame) { owner, _, _ in owner.log.note("frame") }
      observer.observe(person.kvo.fullName.count) { owner, _, _ in owner.log.note("count") }
      observer.observe(person.kvo.fullName.isEmpty) { owner, _, _ in owner.log.note("empty") }
      #expect(violations.take() == [])
      person.frame = Frame()
      person.firstName = "Grace"
      #expect(log.take() == ["x", "y", "frame", "count", "empty"])
      observer.observe(person.kvo.fullName.count) { _, _, _ in }
      #expect(violations.take().count == 1)
      observer.unobserve(person.kvo.fullName.count)
      person.firstName = "Ada"
      #expect(log.take() == ["empty"])
      observer.observe(person.kvo.fullName.count) { owner, _, _ in owner.log.note("again") }
      person.firstName = "Ada"
      #expect(log.take() == ["empty", "again"] && violations.take() == [])
      // Another controller of the same owner is another observer.
      let second = KeyValueObserverController(owner: owner)
      second.observe(person.kvo.age) { owner, _, _ in owner.log.note("second") }
      #expect(violations.take() == [])
    }
  }
}

@KeyValueObservable
private final class Item {
  var title = ""
  var description = ""
}
