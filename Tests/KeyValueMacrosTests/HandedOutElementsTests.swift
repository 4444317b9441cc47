import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// The standard library's functions that pass elements to closures or return them.
@Suite("Elements from standard library functions")
struct HandedOutElementsTests {
  @Test(
    "D1 a closure parameter that is an element is followed",
    arguments: [
      "Dictionary(grouping: employees) { $0.age }", "Dictionary(grouping: employees, by: \\.age)",
      "Dictionary(employees.map { ($0.age, $0) }, uniquingKeysWith: { a, b in a })",
      "[Int: [Employee]](grouping: employees) { $0.age }",
      "employees.sorted(using: KeyPathComparator(\\.age))",
      "employees.sorted(using: [SortDescriptor(\\Employee.age, order: .reverse)])",
      "employees.elementsEqual(employees) { $0.age == $1.age }",
      "employees.lexicographicallyPrecedes(employees) { $1.age < $0.age }",
      "employees.starts(with: employees, by: { $0.age == $1.age })",
      "employees.difference(from: employees) { $0.age == $1.age }",
      "employees.indices(where: { $0.age > 1 })", "employees.partition(by: { $0.age > 1 })",
      "employees.trimmingPrefix(while: { $0.age > 1 })", "employees.suffix(while: { $0.age > 1 })",
      "employees.removeAll { $0.age > 1 }", "employees.count { $0.age > 1 }",
      "employees.drop { $0.age > 1 }", "employees.lastIndex { $0.age > 1 }",
      "employees.max { $0.age < $1.age }", "employees.min { $1.age < $0.age }",
      "employees.split { $0.age > 1 }", "employees.reductions(0) { $0 + $1.age }",
      "employees.withUnsafeBufferPointer { $0.map(\\.age) }",
      "employees.withContiguousStorageIfAvailable { $0.first?.age }",
      "employees.firstIndex(where: { $0.age > 1 })", "employees.chunked { $0.age == $1.age }",
      "employees.shuffled().map(\\.age)", "employees.prefix(2).suffix(1).map(\\.age)",
      "employees.randomElement()?.age", "employees.dropLast().reversed().lazy.map(\\.age).max()",
    ])
  func closures(_ getter: String) {
    let found = inferred(getter)
    #expect(found.paths.contains("employees.age"), "\(found.paths)")
    #expect(found.untraced.isEmpty)
  }

  @Test(
    "D1 elements of a grouping, a tuple, a pair or a local collection are followed",
    arguments: [
      InferenceCase(
        "Dictionary(grouping: employees, by: \\.age).map { $0.value.map(\\.name) }",
        "employees", "employees.age", "employees.name"),
      InferenceCase(
        "Dictionary(grouping: employees, by: \\.age).values.map { $0.map(\\.name) }",
        "employees", "employees.age", "employees.name"),
      InferenceCase(
        "Dictionary(grouping: employees, by: \\.age)[3]?.first?.name", "employees", "employees.age",
        "employees.name"),
      InferenceCase(
        "let groups = Dictionary(grouping: employees, by: \\.age); for (_, group) in groups { "
          + "print(group[0].name) }; return 0",
        "employees", "employees.age", "employees.name"),
      InferenceCase(
        "employees.reduce(employees[0]) { $0.age > $1.age ? $0 : $1 }.name", "employees",
        "employees.age", "employees.name"),
      InferenceCase(
        "var best: Employee?; for e in employees { if e.age > 3 { best = e } }; return best?.name",
        "employees.age", "employees", "employees.name"),
      InferenceCase(
        "var all: [Employee] = []; all.append(team.boss); return all.map(\\.name)", "team.boss",
        "team.boss.name"),
      InferenceCase(
        "var all: [Employee] = []; all.append(contentsOf: employees); return all.map(\\.name)",
        "employees", "employees.name"),
      InferenceCase(
        "var all: [Employee] = []; all.insert(contentsOf: employees, at: 0); return all[0].name",
        "employees", "employees.name"),
      InferenceCase(
        "var all: [Employee] = []; all += employees; return all.map(\\.name)", "employees",
        "employees.name"),
      InferenceCase(
        "var all: [Employee] = []; all += flag ? employees : team.members; return all[0].name",
        "flag", "employees", "team.members", "employees.name", "team.members.name"),
      InferenceCase(
        "var byName: [String: Employee] = [:]; for e in employees { byName[e.name] = e }; "
          + "return byName[first]?.age", "employees.name", "employees", "first", "employees.age"),
      InferenceCase(
        "var byName = [String: Employee](); for e in employees { byName[\"\"] = e }; "
          + "return byName.values.map { $0.age }", "employees", "employees.age"),
      InferenceCase(
        "var groups: [Int: [Employee]] = [:]; for e in employees { "
          + "groups[e.age, default: []].append(e) }; return groups.mapValues { $0.map(\\.name) }",
        "employees.age", "employees", "employees.name"),
      InferenceCase(
        "let byKind = [\"a\": employees[0], \"b\": team.boss]; return byKind[first]?.name",
        "employees", "team.boss", "first", "employees.name", "team.boss.name"),
      InferenceCase(
        "(account, other).1?.balance", "account", "other", "account.balance",
        "other.balance"),
      InferenceCase(
        "(a: account, b: index).a!.balance", "account", "index", "account.balance",
        "index.balance"),
      InferenceCase(
        "Set(employees).union(team.members).map(\\.name)", "employees", "team.members",
        "employees.name", "team.members.name"),
      InferenceCase("employees.adjacentPairs().map { $0.age - $1.age }", "employees.age"),
      InferenceCase("account.unsafelyUnwrapped.balance", "account.balance"),
      InferenceCase("team.members.lazy.map(\\.name)", "team.members.name"),
      InferenceCase("employees.map(\\.self).map(\\.name)", "employees.name"),
    ])
  func results(_ example: InferenceCase) {
    let found = inferred(example.getter)
    #expect(found.paths == example.paths)
    #expect(found.untraced.isEmpty)
  }
}
