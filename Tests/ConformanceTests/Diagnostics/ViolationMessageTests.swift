import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Violations that the tests of the rules do not cause.
@Suite("L. Diagnostics: violation messages")
struct ViolationMessageTests {
  @Test("L1 reading a path spelled with ! while an object on it is nil traps")
  func insisting() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Person()
      let token = person.observe(\.account!.balance, options: [.initial, .new]) { _, _ in }
      token.invalidate()
    }
    try expectTrap(
      result,
      says:
        "An object on 'account.balance' is nil, and the path is spelled with '!'. Spell it with '?'."
    )
  }

  @Test("L1 a path literal for which a user's extension returns nil traps")
  func noPath() async throws {
    let observed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().observe(\.age.missing) { _, _ in }
    }
    let bound = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Mixer().kvo[KeyValuePath(\.volume.missing)].bind(to: Slider().kvo.optionalNumber)
    }
    for result in [observed, bound] {
      try expectTrap(result, says: "A key path literal names no path.")
    }
  }

  @Test("L1 a path without components is reported")
  func selfAlone() {
    ViolationLog.record { violations in
      let token = Person().observe(\.self) { _, _ in }
      #expect(!token.isValid)
      #expect(
        violations.take() == [
          "unobservablePath: The key path \\.self names no property. Observe one, as in person.kvo.name."
        ])
    }
  }

  @Test("L1 an observed sum that no integer can hold reads as nil, and is reported")
  func overflow() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let (ada, ben) = (Employee(salary: .min), Employee())
      let division = Division("", [ada, ben])
      let token = try division.observe(
        "employees.@sum.salary", options: .new, changeHandler: log.handler("sum"))
      ben.salary = -1
      ben.salary = 1
      #expect(log.take() == ["sum: setting, new: nil", "sum: setting, new: \(Int.min + 1)"])
      #expect(
        violations.take() == [
          "arithmeticOverflow: The sum that 'employees.@sum.salary' observes exceeds what an Int or a "
            + "UInt64 holds, and reads as nil. Let the elements have a floating-point value instead."
        ])
      token.invalidate()
    }
  }

  @Test(
    "L1 an observed operator that can't use an element's value reads as nil, which is reported once",
    arguments: [
      ("employees.@sum.name", "found \"Ada\" of type String, which is no number"),
      ("employees.@avg.name", "found \"Ada\" of type String, which is no number"),
      (
        "employees.@distinctUnionOfObjects.bonus",
        "found nil in an element, which a union cannot hold. Give the key a value, or filter the elements"
      ),
      ("employees.@unionOfArrays.name", "needs collections on its right"),
    ])
  func unusableValues(path: String, reason: String) throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let ada = Employee("Ada")
      let division = Division("", [ada])
      let token = try division.observe(path, options: .new, changeHandler: log.handler("it"))
      ada.name = "Ada"
      division.employees.append(Employee("Ben"))
      #expect(log.take().last == "it: setting, new: nil")
      let component = path.split(separator: ".")[1]
      #expect(
        violations.take() == [
          "tolerated: '\(path)' reads as nil to its observers: '\(component)' (component 2 of '\(path)') "
            + "\(reason)."
        ])
      token.invalidate()
    }
  }

  @Test("L1 a hand-written schema with a dependency of an unrelated class traps")
  func foreignKey() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try HandWritten().observe("name") { _, _ in }
    }
    try expectTrap(
      result, says: "HandWritten was asked for a key of Stranger, which it does not inherit from.")
  }
}

extension KeyValuePath {
  /// An optional path, which a literal can lead to only through an extension such as this one.
  fileprivate var missing: KeyValuePath<Root, Value>? { nil }
}

/// A class without the macro whose schema has a mistake: it takes a dependency from an unrelated class.
private final class HandWritten: KeyValueObservable {
  private let registrar = KeyValueRegistrar()
  var name: String { "a" }

  static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    schema.computed("name", \HandWritten.name, get: { $0.name })
    schema.dependencies(of: "name", in: Stranger.self) { _ in [] }
  }

  func _$kvoWithRegistrar<Result>(_ body: (borrowing KeyValueRegistrar) -> Result) -> Result {
    body(registrar)
  }

  static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
  }

  static func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
  func value(forUndefinedKey key: String) throws -> Any? { nil }
  func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
  func setNilValue(forKey key: String) throws {}

  final class Stranger {}
}
