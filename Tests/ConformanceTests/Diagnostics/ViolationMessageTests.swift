import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Violations that no test of a rule leads to.
@Suite("L. Diagnostics: what violations say")
struct ViolationMessageTests {
  @Test("L1 a path that is spelled with ! and read while it is broken")
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

  @Test("L1 a path with ? that an extension of the user's answers nil for")
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

  @Test("L1 a path of no components")
  func selfAlone() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let token = Person().observe(\.self) { _, _ in }
      #expect(!token.isValid)
      #expect(
        violations.take() == [
          "unobservablePath: The key path \\.self names no property."
        ])
    }
  }

  @Test("L1 an observed sum that no integer holds reads as nil, and is reported")
  func overflow() async throws {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
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

  @Test("L1 a hand-written table of keys that asks another class")
  func foreignKey() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try HandWritten().observe("name") { _, _ in }
    }
    try expectTrap(
      result, says: "HandWritten was asked for a key of Stranger, which it does not inherit from.")
  }
}

extension KeyValuePath {
  /// What a literal with `?` can lead to only by an extension such as this one.
  fileprivate var missing: KeyValuePath<Root, Value>? { nil }
}

/// A class without the macro whose table of keys has a mistake: its dependency is asked of a stranger.
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
