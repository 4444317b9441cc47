import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The address of the array's elements.
private func address<Element>(_ array: [Element]) -> UnsafeRawPointer? {
  array.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
}

@Suite("C. To-many: changes in place")
struct InPlaceCollectionTests {
  private let log = ChangeLog()

  /// Whether the body leaves the elements at their address.
  private func staysInPlace(_ cabinet: Cabinet, _ body: () -> Void) -> Bool {
    cabinet.numbers = Array(0..<64)
    cabinet.numbers.reserveCapacity(1_000)
    let before = address(cabinet.numbers)
    body()
    return address(cabinet.numbers) == before
  }

  @Test("C6 A proxy changes the array in place, whatever values are requested")
  func proxies() {
    let cabinet = Cabinet()
    let numbers = cabinet.mutableArrayValue(for: \.numbers)
    #expect(staysInPlace(cabinet) { numbers.append(1) })
    let tokens = [
      cabinet.observe(\.numbers, options: [.old, .new, .prior], changeHandler: log.handler("all")),
      cabinet.observe(
        \.numbers, options: [.new, .elementChanges], changeHandler: log.handler("elements")),
      cabinet.observe(\.numbers.count, options: [.old, .new], changeHandler: log.handler("count")),
    ]
    #expect(staysInPlace(cabinet) { numbers.append(1) })
    #expect(staysInPlace(cabinet) { numbers.insert(contentsOf: [1, 2], at: 3) })
    #expect(staysInPlace(cabinet) { numbers.remove(at: 3) })
    #expect(staysInPlace(cabinet) { numbers.remove(at: RangeSet([1..<2, 4..<9])) })
    #expect(staysInPlace(cabinet) { numbers[3] = 7 })
    #expect(staysInPlace(cabinet) { numbers.swapAt(1, 9) })
    for token in tokens { token.invalidate() }
  }

  @Test("C6 An untyped proxy changes the array in place")
  func untyped() throws {
    let cabinet = Cabinet()
    let numbers = try cabinet.mutableArrayValue(forKey: "numbers")
    let token = cabinet.observe(
      \.numbers, options: [.old, .new], changeHandler: log.handler("numbers"))
    #expect(staysInPlace(cabinet) { numbers.append(1) })
    #expect(staysInPlace(cabinet) { numbers[0] = 2 })
    token.invalidate()
  }

  @Test(
    "C6 Inherited properties are changed in place, in annotated subclasses and others",
    .disabled("not there yet: see Parity, C6"))
  func subclasses() {
    for cabinet in [LockedCabinet(), PlainCabinet()] as [Cabinet] {
      let numbers = cabinet.mutableArrayValue(for: \.numbers)
      #expect(staysInPlace(cabinet) { numbers.append(1) }, "\(type(of: cabinet))")
      let token = cabinet.observe(
        \.numbers, options: [.old, .new], changeHandler: log.handler("numbers"))
      #expect(staysInPlace(cabinet) { numbers.append(1) }, "\(type(of: cabinet))")
      token.invalidate()
    }
  }

  @Test("C6 An optional array, and one with an inferred type, are changed in place")
  func declarations() throws {
    let cabinet = Cabinet()
    cabinet.missing = Array(0..<64)
    cabinet.missing?.reserveCapacity(1_000)
    cabinet.inferred.reserveCapacity(1_000)
    let (missing, inferred) = (address(cabinet.missing ?? []), address(cabinet.inferred))
    try cabinet.mutableArrayValue(forKey: "missing").append(1)
    cabinet.mutableArrayValue(for: \.inferred).append(1)
    #expect(address(cabinet.missing ?? []) == missing)
    #expect(address(cabinet.inferred) == inferred)
  }

  @Test("C6 If an observer keeps the array, the next change copies it")
  func keptValues() {
    let cabinet = Cabinet()
    cabinet.numbers = [1]
    var kept: [[Int]] = []
    let token = cabinet.observe(\.numbers, options: .new) { cabinet, _ in
      kept.append(cabinet.numbers)
    }
    let numbers = cabinet.mutableArrayValue(for: \.numbers)
    numbers.append(2)
    numbers.append(3)
    numbers[0] = 9
    #expect(kept == [[1, 2], [1, 2, 3], [9, 2, 3]])
    token.invalidate()
  }

  @Test("N11 Appending to an observed array in place copies nothing unless old is requested")
  func plain() throws {
    let cabinet = Cabinet()
    #expect(staysInPlace(cabinet) { cabinet.numbers.append(1) })
    let token = cabinet.observe(\.numbers, options: .new, changeHandler: log.handler("new"))
    let prior = cabinet.observe(\.numbers, options: .prior) { _, _ in }
    #expect(staysInPlace(cabinet) { cabinet.numbers.append(1) })
    #expect(staysInPlace(cabinet) { cabinet.numbers.remove(at: 5) })
    #expect(staysInPlace(cabinet) { cabinet.numbers[0] += 1 })
    #expect(staysInPlace(cabinet) { cabinet.numbers.sort(by: >) })
    let old = cabinet.observe(\.numbers, options: .old, changeHandler: log.handler("old"))
    #expect(!staysInPlace(cabinet) { cabinet.numbers.append(1) })
    old.invalidate()
    #expect(staysInPlace(cabinet) { cabinet.numbers.append(1) })
    withExtendedLifetime((token, prior)) {}
  }

  @Test("N11 A path through the array, or an aggregate of it, causes no copy")
  func paths() throws {
    let division = Division()
    division.employees = (0..<8).map { Employee("\($0)", salary: $0) }
    division.employees.reserveCapacity(1_000)
    let before = address(division.employees)
    let tokens = [
      try division.observe(
        "employees.@sum.salary", options: [.old, .new], changeHandler: log.handler("sum")),
      division.observe(\.employees[maximum: \.salary], changeHandler: log.handler("maximum")),
      division.observe(\.employees[each: \.name], options: .prior) { _, _ in },
    ]
    division.employees.append(Employee("new", salary: 100))
    division.mutableArrayValue(for: \.employees).append(Employee("newer", salary: 100))
    #expect(address(division.employees) == before)
    #expect(
      log.take() == [
        "sum: setting, old: 28, new: 128", "maximum: setting", "sum: setting, old: 128, new: 228",
        "maximum: setting",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N11 A union of the elements' arrays causes no copy")
  func unions() throws {
    let ada = Employee("Ada")
    ada.skills = ["a"]
    ada.skills.reserveCapacity(100)
    let before = address(ada.skills)
    let division = Division("one", [ada])
    let token = try division.observe(
      "employees.@unionOfArrays.skills", options: .new, changeHandler: log.handler("skills"))
    for skill in ["b", "c"] { ada.skills.append(skill) }
    #expect(address(ada.skills) == before)
    #expect(
      log.take() == [
        #"skills: setting, new: ["a", "b"]"#, #"skills: setting, new: ["a", "b", "c"]"#,
      ])
    token.invalidate()
  }

  @Test("N11 An in-place mutation of many steps is one change, and callbacks may change the array")
  func bracketed() {
    let cabinet = Cabinet()
    cabinet.numbers = [1, 2, 3]
    let token = cabinet.observe(\.numbers, options: [.old, .new, .prior]) { [log] cabinet, change in
      log.note("\(cabinet.numbers)", change)
      if cabinet.numbers.count == 2, change.kind == .setting {
        cabinet.mutableArrayValue(for: \.numbers).append(9)
      }
    }
    func shuffle(_ numbers: inout [Int]) {
      numbers.removeFirst()
      numbers.append(4)
      numbers.removeLast()
    }
    shuffle(&cabinet.numbers)
    #expect(
      log.take() == [
        "[1, 2, 3]: setting, old: [1, 2, 3], prior",
        "[2, 3]: setting, old: [1, 2, 3], new: [2, 3]",
        "[2, 3]: insertion, indexes: 2, prior",
        "[2, 3, 9]: insertion, indexes: 2, new: [9]",
      ])
    token.invalidate()
  }
}
