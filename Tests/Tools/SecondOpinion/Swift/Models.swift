import KeyValueObserving

// The classes that scenarios use. GNUstep/Models.m has the same classes.

/// A class whose objects scenarios create by name.
protocol ScenarioModel: KeyValueObservable {
  init()
  /// Assigns through the property's setter; false if the class doesn't offer this for the key.
  func assign(_ value: Any?, to key: String) -> Bool
}

@KeyValueObservable
class Person: ScenarioModel {
  struct Negative: Error {}

  var name = "Ada"
  var nickname: String?
  var age = 36
  var height = 1.5
  var isActive = false
  var account: Account?
  var friend: Person?
  var firstName = "Ada"
  var lastName = "Lovelace"
  var books: [String] = ["A", "B"]
  var tags: Set<String> = ["x", "y"]
  /// Optional, and nil at first.
  var plans: [String]?

  /// Declares its dependencies in the class function of its key.
  @DependsOn() var fullName: String { "\(firstName)-\(lastName)" }
  class func keyPathsForValuesAffectingFullName() -> Set<String> { ["firstName", "lastName"] }
  /// Declares its dependencies in the general class function.
  @DependsOn() var initials: String { "\(firstName.prefix(1))\(lastName.prefix(1))" }
  class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "initials" ? ["firstName", "lastName"] : []
  }
  /// Declares its dependency once for the class, as GNUstep's class does by a registration.
  @DependsOn("name") var greeting: String { "Hello-\(name)" }
  /// Depends on a dependent key.
  @DependsOn("greeting") var letter: String { "\(greeting)." }
  /// Depends on a key of another object.
  @DependsOn("account.balance") var wealth: Int { account?.balance ?? 0 }

  required init() {}

  func validateAge(_ value: inout Int) throws {
    if value < 0 { throw Negative() }
    if value > 150 { value = 150 }
  }

  func setNilValue(forKey key: String) throws {
    guard key == "age" else { throw KeyValueCodingError.nilValue(key, of: self) }
    age = 0
  }

  func assign(_ value: Any?, to key: String) -> Bool {
    switch (key, value) {
    case ("name", let value as String): name = value
    case ("nickname", let value): nickname = value as? String
    case ("age", let value as Int): age = value
    case ("account", let value): account = value as? Account
    case ("friend", let value): friend = value as? Person
    case ("firstName", let value as String): firstName = value
    case ("lastName", let value as String): lastName = value
    case ("books", let value as [Any]): books = value.compactMap { $0 as? String }
    case ("tags", let value as Set<AnyHashable>): tags = Set(value.compactMap { $0 as? String })
    default: return false
    }
    return true
  }
}

/// Handles keys that it doesn't have.
@KeyValueObservable
final class Forgiving: Person {
  override func value(forUndefinedKey key: String) throws -> Any? { "no-\(key)" }
  override func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    nickname = "set-\(key)"
  }
}

@KeyValueObservable
final class Account: ScenarioModel {
  var balance = 100
  var owner: Person?
  /// Notifies only by manual pairs, which scenarios write around `assign`.
  @NotifiesManually @DependsOn() var limit = 10
  /// Notifies only by manual pairs, which scenarios write around `assign`.
  @NotifiesManually @DependsOn() var entries: [String] = ["A", "B"]
  /// Notifies only by manual pairs, which scenarios write around `assign`.
  @NotifiesManually @DependsOn() var labels: Set<String> = ["x"]

  func assign(_ value: Any?, to key: String) -> Bool {
    switch (key, value) {
    case ("balance", let value as Int): balance = value
    case ("owner", let value): owner = value as? Person
    case ("limit", let value as Int): limit = value
    case ("entries", let value as [Any]): entries = value.compactMap { $0 as? String }
    case ("labels", let value as Set<AnyHashable>):
      labels = Set(value.compactMap { $0 as? String })
    default: return false
    }
    return true
  }
}

@KeyValueObservable
final class Team: ScenarioModel {
  /// A property without accessor methods.
  var members: [Person] = []
  var leader: Person?
  @KeyValueIgnored var storedRoster: [Any] = []
  @KeyValueIgnored var storedBench: [Any] = []
  @KeyValueIgnored var storedLineup: [Any] = []
  @KeyValueIgnored var storedColours: Set<AnyHashable> = []

  // Methods for single elements, and a getter.
  func getRoster() -> [Any] { storedRoster }
  func countOfRoster() -> Int { storedRoster.count }
  func objectInRoster(at index: Int) -> Any { storedRoster[index] }
  func insertObject(_ element: Any, inRosterAt index: Int) {
    storedRoster.insert(element, at: index)
  }
  func removeObject(fromRosterAt index: Int) { storedRoster.remove(at: index) }

  // The same, with a method that replaces.
  func getBench() -> [Any] { storedBench }
  func countOfBench() -> Int { storedBench.count }
  func objectInBench(at index: Int) -> Any { storedBench[index] }
  func insertObject(_ element: Any, inBenchAt index: Int) {
    storedBench.insert(element, at: index)
  }
  func removeObject(fromBenchAt index: Int) { storedBench.remove(at: index) }
  func replaceObject(inBenchAt index: Int, with element: Any) { storedBench[index] = element }

  // Methods for several elements, without a getter.
  func countOfLineup() -> Int { storedLineup.count }
  func objectInLineup(at index: Int) -> Any { storedLineup[index] }
  func insertLineup(_ elements: [Any], at indexes: RangeSet<Int>) {
    for (element, index) in zip(elements, indexes.ranges.flatMap { $0 }) {
      storedLineup.insert(element, at: index)
    }
  }
  func removeLineup(at indexes: RangeSet<Int>) { storedLineup.removeSubranges(indexes) }

  // Methods of an unordered key.
  func getColours() -> Set<AnyHashable> { storedColours }
  func addColoursObject(_ colour: AnyHashable) { storedColours.insert(colour) }
  func removeColoursObject(_ colour: AnyHashable) { storedColours.remove(colour) }

  func assign(_ value: Any?, to key: String) -> Bool {
    switch (key, value) {
    case ("members", let value as [Any]): members = value.compactMap { $0 as? Person }
    case ("leader", let value): leader = value as? Person
    default: return false
    }
    return true
  }
}

@KeyValueObservable
final class Company: ScenarioModel {
  var teams: [Team] = []
  var groups: [[Person]] = []
  var numbers: [Int] = []
  var table: [String: Any] = ["one": 1, "two": 2]

  func assign(_ value: Any?, to key: String) -> Bool {
    switch (key, value) {
    case ("teams", let value as [Any]): teams = value.compactMap { $0 as? Team }
    case ("groups", let value as [Any]):
      groups = value.compactMap { ($0 as? [Any])?.compactMap { $0 as? Person } }
    case ("numbers", let value as [Any]): numbers = value.compactMap { $0 as? Int }
    default: return false
    }
    return true
  }
}
