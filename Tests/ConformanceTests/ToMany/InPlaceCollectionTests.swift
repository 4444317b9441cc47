import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The address of the array's elements.
private func address<Element>(_ array: [Element]) -> UnsafeRawPointer? {
  array.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
}

/// Has collections that each of its subclasses overrides, to note what it's set to.
@KeyValueObservable
class OverriddenCabinet {
  var numbers: [Int] = []
  var words: Set<String> = []
  final var fixed: [Int] = []
  @KeyValueIgnored let log: ChangeLog

  required init(_ log: ChangeLog) { self.log = log }
}

@KeyValueObservable
class ObservingCabinet: OverriddenCabinet {
  override var numbers: [Int] { didSet { log.note("set \(numbers)") } }
  override var words: Set<String> { didSet { log.note("set words \(words)") } }
}

@KeyValueObservable
final class ComputingCabinet: OverriddenCabinet {
  override var numbers: [Int] {
    get { super.numbers }
    set {
      super.numbers = newValue
      log.note("set \(newValue)")
    }
  }
  override var words: Set<String> {
    get { super.words }
    set {
      super.words = newValue
      log.note("set words \(newValue)")
    }
  }
}

@KeyValueObservable
final class IgnoringCabinet: OverriddenCabinet {
  @KeyValueIgnored override var numbers: [Int] { didSet { log.note("set \(numbers)") } }
  @KeyValueIgnored override var words: Set<String> {
    get { super.words }
    set {
      super.words = newValue
      log.note("set words \(newValue)")
    }
  }
}

class UnannotatedCabinet: OverriddenCabinet {
  override var numbers: [Int] { didSet { log.note("set \(numbers)") } }
  override var words: Set<String> { didSet { log.note("set words \(words)") } }
}

/// Inherits the overrides of an annotated class.
@KeyValueObservable
final class InheritingCabinet: ObservingCabinet {
  var height = 1
}

/// Inherits the overrides of a class without the macro.
@KeyValueObservable
final class LastCabinet: UnannotatedCabinet {
  var height = 1
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

  @Test("C6 An annotated subclass's inherited array is changed in place, by any proxy")
  func subclasses() throws {
    let cabinet = LockedCabinet()
    var tokens: [KeyValueObservation] = []
    let (typed, untyped) = (
      cabinet.mutableArrayValue(for: \.numbers), try cabinet.mutableArrayValue(forKey: "numbers")
    )
    for _ in 0..<2 {
      #expect(staysInPlace(cabinet) { typed.append(1) })
      #expect(staysInPlace(cabinet) { untyped.append(1) })
      // A batch goes through the key, not through the array's own type.
      #expect(staysInPlace(cabinet) { typed.remove(at: RangeSet([1..<2, 4..<9])) })
      cabinet.observe(\.numbers, options: [.old, .new], changeHandler: log.handler("numbers"))
        .store(in: &tokens)
    }
  }

  @Test("C6 A final array is changed in place in a subclass without the macro")
  func finalProperty() {
    let cabinet = UnannotatedCabinet(log)
    cabinet.fixed = Array(0..<64)
    cabinet.fixed.reserveCapacity(1_000)
    let before = address(cabinet.fixed)
    cabinet.mutableArrayValue(for: \.fixed).append(1)
    cabinet.mutableArrayValue(for: \.fixed).remove(at: RangeSet([1..<2, 4..<9]))
    #expect(address(cabinet.fixed) == before && cabinet.fixed.count == 59)
  }

  @Test(
    "C6 A subclass's override takes part in a proxy's changes, and so does an ignored one",
    arguments: [
      ObservingCabinet.self, ComputingCabinet.self, IgnoringCabinet.self, UnannotatedCabinet.self,
      InheritingCabinet.self, LastCabinet.self,
    ] as [OverriddenCabinet.Type])
  func overrides(type: OverriddenCabinet.Type) throws {
    let cabinet = type.init(log)
    var tokens: [KeyValueObservation] = []
    let (numbers, words) = (
      cabinet.mutableArrayValue(for: \.numbers), try cabinet.mutableSetValue(forKey: "words")
    )
    for _ in 0..<2 {
      numbers.append(1)
      numbers.remove(at: RangeSet(0..<1))
      try cabinet.mutableArrayValue(forKey: "numbers").append(2)
      words.insert("a")
      words.remove("a")
      cabinet.numbers = []
      #expect(
        log.take().filter { $0.hasPrefix("set") } == [
          "set [1]", "set []", "set [2]", "set words [\"a\"]", "set words []", "set []",
        ])
      for key in ["numbers", "words"] {
        try cabinet.observe(key, options: [.old, .new], changeHandler: log.handler(key))
          .store(in: &tokens)
      }
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
