import KeyValueObserving
import Testing

// In the file's scope, because the page extends its classes.

// snippet DependentKeys 1
@KeyValueObservable
final class Account {
  var balance = 100.0
}

@KeyValueObservable
class Person {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var account: Account?

  var fullName: String { "\(firstName) \(lastName)" }
  var greeting: String { "Dear \(fullName)" }
  var balance: Double { account?.balance ?? 0 }

  @DependsOn("account.balance")
  var isRich: Bool { wealth() > 1_000 }

  @DependsOn(\Person.account?.balance)
  var isPoor: Bool { wealth() < 10 }
}

extension Person {
  func wealth() -> Double { account?.balance ?? 0 }
}
// end

// snippet DependentKeys 2
@KeyValueObservable
class Track {
  var seconds = 90
  var title = "Intro"
  var length: String { "\(seconds / 60) min" }
  var label: String { describe() }

  class func keyPathsForValuesAffectingLabel() -> Set<String> { ["title", "length"] }
}

extension Track {
  func describe() -> String { "\(title), \(length)" }
}

final class Single: Track {
  var side = "A"  // no key: this class does without the macro

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    var keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    if key == "length" { keyPaths.insert("title") }
    return keyPaths
  }
}
// end

// snippet DependentKeys 4
@KeyValueObservable
final class Manager: Person {
  var level = 1
  override var fullName: String { "\(super.fullName), level \(level)" }
}
// end

@Suite("DependentKeys.md", .printing)
struct DependentKeysSnippets {
  @Test("Inferred dependencies")
  func inferred() throws {
    // What the compiler says is compared in the macros' own tests.
    try expectPrinted(
      "DependentKeys", 1,
      remarks: [
        "warning: 'isRich' calls 'wealth()', which the macro cannot see into, so changes of",
        "what it reads do not notify 'isRich'; name that with @DependsOn(…), or write",
        "@DependsOn() if it reads nothing more",
      ])
  }

  @Test("Declared dependencies, and those by method")
  func dependencies() throws {
    // snippet DependentKeys 2
    print(Track.keyPathsForValuesAffectingValue(forKey: "label").sorted())  // ["length", "title"]
    print(Single.keyPathsForValuesAffectingValue(forKey: "length").sorted())
    // ["seconds", "title"]
    // end
    try expectPrinted("DependentKeys", 2, remarks: ["no key: this class does without the macro"])
    // snippet DependentKeys 3
    for key in ["fullName", "greeting", "balance", "isRich", "isPoor"] {
      print(key, Person.keyPathsForValuesAffectingValue(forKey: key).sorted())
    }
    // end
    try expectPrinted("DependentKeys", 3)
    // snippet DependentKeys 4
    print(Manager.keyPathsForValuesAffectingValue(forKey: "fullName").sorted())
    // ["firstName", "lastName", "level"]
    // end
    try expectPrinted("DependentKeys", 4)
  }

  @Test("Observing dependent keys")
  func observing() throws {
    // snippet DependentKeys 5
    let person = Person()
    let greeting = person.kvo.greeting.observe(options: [.old, .new]) { _, change in print(change) }
    let rich = person.kvo.isRich.observe(options: [.old, .new]) { _, change in print(change) }
    person.firstName = "Grace"
    person.account = Account()
    person.account?.balance = 5_000
    // end
    try expectPrinted("DependentKeys", 5)
    withExtendedLifetime((greeting, rich)) {}
  }
}
