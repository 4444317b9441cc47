import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A view with one method of each shape.
class ProfileView {
  let log: ChangeLog
  var token: KeyValueObservation?

  init(_ log: ChangeLog) {
    self.log = log
  }

  func nameChanged() { log.note("changed") }
  func personChanged(_ person: Person) { log.note("person \(person.firstName)") }

  func firstNameChanged(_ person: Person, _ change: KeyValueObservedChange<String>) {
    log.note("name", change)
  }

  func nicknameChanged(_ person: Person, _ change: KeyValueObservedChange<String?>) {
    log.note("nickname", change)
  }

  func anyChanged(_ person: Person, _ change: KeyValueObservedChange<Any?>) {
    log.note("any", change)
  }
}

final class DetailedProfileView: ProfileView {
  override func nameChanged() { log.note("changed in detail") }
}

@Suite("Observing with a target and an action")
struct TargetActionTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("Every spelling of a path accepts the three shapes of action")
  func shapes() throws {
    let view = ProfileView(log)
    let options: KeyValueObservingOptions = [.old, .new]
    let held = KeyValuePath<Person, String?>(\.manager.nickname)
    let tokens = [
      person.kvo.firstName.observe(target: view, action: ProfileView.nameChanged),
      person.kvo.firstName.observe(target: view, action: ProfileView.personChanged),
      person.kvo.firstName.observe(
        options: options, target: view, action: ProfileView.firstNameChanged),
      try person.kvo("firstName").observe(target: view, action: ProfileView.nameChanged),
      try person.kvo("firstName").observe(target: view, action: ProfileView.personChanged),
      try person.kvo("firstName").observe(
        options: options, target: view, action: ProfileView.anyChanged),
      person.kvo.manager.nickname.observe(target: view, action: ProfileView.nameChanged),
      person.kvo.manager.nickname.observe(target: view, action: ProfileView.personChanged),
      person.kvo.manager.nickname.observe(
        options: options, target: view, action: ProfileView.nicknameChanged),
      person.kvo[held].observe(
        options: options, target: view, action: ProfileView.nicknameChanged),
    ]
    person.firstName = "Grace"
    #expect(
      log.take() == [
        "changed", "person Grace", "name: setting, old: \"Ada\", new: \"Grace\"",
        "changed", "person Grace", "any: setting, old: \"Ada\", new: \"Grace\"",
      ])
    let manager = Person()
    manager.nickname = "Al"
    person.manager = manager
    #expect(
      log.take() == ["changed", "person Grace"]
        + Array(repeating: "nickname: setting, old: nil, new: \"Al\"", count: 2))
    for token in tokens { token.invalidate() }
    #expect(isIdle(person, manager))
  }

  @Test("An overridden method is called, and an inherited one may be named")
  func inheritance() {
    let view = DetailedProfileView(log)
    let tokens = [
      person.kvo.firstName.observe(target: view, action: ProfileView.nameChanged),
      person.kvo.firstName.observe(target: view, action: DetailedProfileView.personChanged),
    ]
    person.firstName = "Grace"
    #expect(log.take() == ["changed in detail", "person Grace"])
    for token in tokens { token.invalidate() }
  }

  @Test("The target isn't retained, even if it keeps its token, and the observation ends with it")
  func targetDies() {
    var view: ProfileView? = ProfileView(log)
    weak let weakView = view
    view?.token = person.kvo.firstName.observe(target: view!, action: ProfileView.nameChanged)
    let kept = person.kvo.firstName.observe(target: view!, action: ProfileView.personChanged)
    person.firstName = "Grace"
    #expect(
      kept.isValid && person.observationInfo.map(\.observer) == ["ProfileView", "ProfileView"])
    view = nil
    #expect(weakView == nil)
    #expect(!kept.isValid && person.observationInfo.isEmpty)
    person.firstName = "Mary"
    #expect(log.take() == ["changed", "person Grace"])
    #expect(isIdle(person))
  }

  @Test("A target that dies in an earlier callback for a change isn't called for it")
  func targetDiesInDelivery() {
    var view: ProfileView? = ProfileView(log)
    let killer = person.observe(\.firstName) { _, _ in view = nil }
    let token = person.kvo.firstName.observe(target: view!, action: ProfileView.nameChanged)
    person.firstName = "Grace"
    #expect(log.take() == [] && !token.isValid)
    killer.invalidate()
    #expect(isIdle(person))
  }

  @Test("A target whose last reference is released in its own action finishes the action")
  func targetDiesInAction() {
    final class Holder { var view: Quitter? }
    final class Quitter {
      let holder: Holder
      let log: ChangeLog
      init(_ holder: Holder, _ log: ChangeLog) {
        self.holder = holder
        self.log = log
      }
      func quit(_ person: Person) {
        holder.view = nil
        log.note("still here")
      }
      deinit { log.note("gone") }
    }
    let holder = Holder()
    holder.view = Quitter(holder, log)
    let token = person.kvo.age.observe(target: holder.view!, action: Quitter.quit)
    person.age = 1
    person.age = 2
    #expect(log.take() == ["still here", "gone"])
    #expect(!token.isValid)
  }

  @Test("The observed object may die before its target, and may be its own target")
  func objectDies() {
    final class Mirror: Person {
      var seen: [String] = []
      func look() { seen.append(firstName) }
    }
    let view = ProfileView(log)
    var mirror: Mirror? = Mirror()
    let own = mirror!.kvo.firstName.observe(target: mirror!, action: Mirror.look)
    let token = mirror!.kvo.firstName.observe(target: view, action: ProfileView.nameChanged)
    mirror?.firstName = "Grace"
    #expect(mirror?.seen == ["Grace"] && log.take() == ["changed"])
    weak let weakMirror = mirror
    mirror = nil
    #expect(weakMirror == nil && !token.isValid && !own.isValid)
  }

  @Test("A token reports its key path and object; after it ends, the object is nil")
  func token() throws {
    let view = ProfileView(log)
    var other: Person? = Person()
    let tokens = [
      other!.kvo.firstName.observe(target: view, action: ProfileView.nameChanged),
      other!.observe(\.account.balance) { _, _ in },
      try other!.observe("fullName") { _, _ in },
    ]
    #expect(tokens.map(\.keyPath) == ["firstName", "account.balance", "fullName"])
    #expect(tokens.allSatisfy { $0.object === other })
    let ended = other!.observe(\.age) { _, _ in }
    ended.invalidate()
    #expect(ended.object == nil)
    other = nil
    #expect(tokens.allSatisfy { $0.object == nil && !$0.isValid })
  }

  @Test("A token returns nil for an object that is being deinitialized")
  func dyingObject() {
    let diary = Diary()
    var token: KeyValueObservation?
    var objects: [Bool] = []
    do {
      let mortal = Diary()
      token = mortal.observe(\.page) { _, _ in }
      objects.append(token?.object === mortal)
      mortal.onDeath = { _ in objects.append(token?.object != nil) }
    }
    #expect(objects == [true, false])
    withExtendedLifetime(diary) {}
  }
}

@MainActor
@Suite("Observing with a target and an action, on the main actor")
struct MainActorTargetActionTests {
  @MainActor
  final class Screen {
    var lines: [String] = []
    func redraw() { lines.append("redraw") }
    func show(_ model: ViewModel) { lines.append("show \(model.title)") }
    func note(_ model: ViewModel, _ change: KeyValueObservedChange<String>) {
      lines.append("\(change)")
    }
    func person(_ person: Person) { lines.append("person") }
  }

  @Test("A main-actor target's methods are accepted in all three shapes")
  func shapes() {
    let model = ViewModel()
    let person = Person()
    let screen = Screen()
    let tokens = [
      model.kvo.title.observe(target: screen, action: Screen.redraw),
      model.kvo.title.observe(target: screen, action: Screen.show),
      model.kvo.title.observe(options: .new, target: screen, action: Screen.note),
      person.kvo.age.observe(target: screen, action: Screen.person),
      person.kvo.age.observe(target: screen, action: Screen.redraw),
    ]
    model.title = "b"
    person.age = 1
    #expect(screen.lines == ["redraw", "show b", "setting, new: \"b\"", "person", "redraw"])
    for token in tokens { token.invalidate() }
  }
}
