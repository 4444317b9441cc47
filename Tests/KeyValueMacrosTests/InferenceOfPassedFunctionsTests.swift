import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// The class's own functions, given to a method of the standard library by their names.
@Suite("Elements given to a function by its name")
struct InferenceOfPassedFunctionsTests {
  @Test(
    "D1 each parameter of a function that is an element is followed",
    arguments: [
      InferenceCase("employees.sorted(by: isOlder)", "employees.age", "employees"),
      InferenceCase("employees.reduce(0, add)", "employees.salary"),
      InferenceCase("employees.reduce(index, add)", "index", "employees.salary"),
      InferenceCase("employees.reduce(into: 0, addUp)", "employees.salary"),
      InferenceCase(
        "zip(employees, team.members).map(combine)", "employees", "team.members",
        "employees.salary", "team.members.salary", "employees.bonus", "team.members.bonus"),
      InferenceCase("employees.enumerated().map(numbered)", "employees.name"),
      InferenceCase(
        "func older(_ a: Employee, _ b: Employee) -> Bool { a.age > b.age }; "
          + "return employees.sorted(by: older)", "employees.age", "employees"),
    ])
  func parameters(_ example: InferenceCase) { check(example) }

  @Test(
    "D1 a function is followed that is named as a member of the object or of the class",
    arguments: [
      InferenceCase("employees.map(self.label)", "employees.name"),
      InferenceCase("let me = self; return employees.map(me.label)", "employees.name"),
      InferenceCase("employees.map(Self.title)", "employees.title"),
      InferenceCase("employees.map(Company.title)", "employees.title"),
      InferenceCase("Self.titles(of: employees)", "employees.title"),
      InferenceCase("employees.sorted(by: self.isOlder)", "employees.age", "employees"),
      InferenceCase(
        "Dictionary(grouping: employees, by: self.label).count", "employees", "employees.name"),
    ])
  func members(_ example: InferenceCase) { check(example) }

  @Test(
    "D1 the labels or the number of parameters decide between functions of one name",
    arguments: [
      InferenceCase("employees.map(rank)", "employees.level"),
      InferenceCase("employees.map(rank(of:))", "employees.grade"),
      InferenceCase("employees.sorted(by: rank)", "employees.age", "employees"),
      // The class's body has no function that takes two arguments.
      InferenceCase("employees.reduce(0, label)", "employees"),
    ])
  func overloads(_ example: InferenceCase) { check(example) }

  @Test(
    "D1 a property is read that has the base name of a method",
    arguments: [
      InferenceCase("names.contains(self.first)", "first", "names"),
      InferenceCase("names.contains(first)", "first", "names"),
      InferenceCase("employees.map(first(of:))", "employees.name"),
      InferenceCase("employees.map(Self.last)", "employees.title"),
    ])
  func properties(_ example: InferenceCase) { check(example) }

  private func check(
    _ example: InferenceCase, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    let found = inferred(
      example.getter,
      members: """
        func isOlder(_ a: Employee, _ b: Employee) -> Bool { a.age > b.age }
        func add(_ sum: Int, _ e: Employee) -> Int { sum + e.salary }
        func addUp(_ sum: inout Int, _ e: Employee) { sum += e.salary }
        func combine(_ a: Employee, _ b: Employee) -> Int { a.salary + b.bonus }
        func numbered(_ place: Int, _ e: Employee) -> String { e.name }
        func label(_ e: Employee) -> String { e.name }
        static func title(_ e: Employee) -> String { e.title }
        static func titles(of list: [Employee]) -> [String] { list.map(title) }
        func rank(_ a: Employee, _ b: Employee) -> Bool { a.age > b.age }
        func rank(_ e: Employee) -> Int { e.level }
        func rank(of e: Employee) -> Int { e.grade }
        func first(of e: Employee) -> String { e.name }
        static func last(of e: Employee) -> String { e.title }
        """)
    #expect(found.paths == example.paths, sourceLocation: sourceLocation)
    #expect(found.untraced.isEmpty, sourceLocation: sourceLocation)
  }
}
