import FoundationKVO
import Testing

@KeyValueObservable
private class Employee: NSObject {
  dynamic var name = ""
  dynamic var salary = 0
  dynamic var bonus = 0
  var income: Int { salary + bonus }
}

@KeyValueObservable
private final class Manager: Employee {
  dynamic var team = 0
}

/// Replaces an employee's shared observers while it's called.
private final class Replacer: NSObject {
  var snapshot: NSKeyValueSharedObserversSnapshot?
  private(set) var calls = 0

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    calls += 1
    (object as? Employee)?.setSharedObservers(snapshot)
  }
}

@Suite("FoundationKVO: shared observers")
struct SharedObserversTests {
  private let witness = Witness()
  private let shared = NSKeyValueSharedObservers(observableClass: Employee.self)

  private func add(_ key: String, _ options: NSKeyValueObservingOptions = [.old, .new]) {
    shared.addSharedObserver(witness, forKey: key, options: options, context: nil)
  }

  @Test("a snapshot's observers are called for each object that has it, and end with the object")
  func sharing() {
    add("salary")
    add("income", .new)
    let (ada, grace, mary) = (Employee(), Employee(), Employee())
    ada.setSharedObservers(shared.snapshot())
    grace.setSharedObservers(shared.snapshot())
    ada.salary = 1
    grace.bonus = 2
    mary.salary = 3
    #expect(
      witness.take() == [
        "salary: setting, old 0, new 1", "income: setting, new 1", "income: setting, new 2",
      ])
    weak var weakEmployee: Employee?
    do {
      let employee = Employee()
      employee.setSharedObservers(shared.snapshot())
      weakEmployee = employee
    }
    #expect(weakEmployee == nil)
  }

  @Test("a snapshot has the observers that were added before it, and is made once for them")
  func snapshots() {
    add("salary", .new)
    let before = shared.snapshot()
    #expect(shared.snapshot() === before)
    add("name", .new)
    let after = shared.snapshot()
    #expect(after !== before)
    let (ada, grace) = (Employee(), Employee())
    ada.setSharedObservers(before)
    grace.setSharedObservers(after)
    for employee in [ada, grace] {
      employee.salary = 1
      employee.name = "x"
    }
    #expect(
      witness.take() == [
        "salary: setting, new 1", "salary: setting, new 1", "name: setting, new x",
      ])
  }

  @Test("a snapshot has no observer that died before it was made")
  func deadObservers() {
    add("salary", .new)
    for _ in 0..<3 {
      shared.addSharedObserver(Witness(), forKey: "bonus", context: nil)
      #expect(shared.snapshot().count == 1)
    }
  }

  @Test("setting other shared observers replaces them, and leaves the object's own observers")
  func replacing() {
    add("salary", .new)
    let employee = Employee()
    employee.watch(["name"], witness, options: .new)
    employee.setSharedObservers(shared.snapshot())
    employee.setSharedObservers(shared.snapshot())
    employee.salary = 1
    let others = NSKeyValueSharedObservers(observableClass: Employee.self)
    others.addSharedObserver(witness, forKey: "bonus", options: [.initial, .new], context: nil)
    employee.setSharedObservers(others.snapshot())
    employee.salary = 2
    employee.bonus = 3
    employee.setSharedObservers(nil)
    employee.bonus = 4
    employee.name = "Ada"
    #expect(
      witness.take() == [
        "salary: setting, new 1", "bonus: setting, new 0", "bonus: setting, new 3",
        "name: setting, new Ada",
      ])
    employee.unwatch(["name"], witness)
    #expect(employee.observationInfo == nil)
  }

  @Test("removeObserver removes the object's own observers, and no shared one")
  func removing() async {
    add("salary", .new)
    let employee = Employee()
    employee.setSharedObservers(shared.snapshot())
    employee.watch(["salary"], witness, options: .new)
    let all = (employee as any KeyValueObservable).observationInfo
    #expect(all.map(\.keyPath) == ["salary", "salary"])
    employee.unwatch(["salary"], witness)
    employee.salary = 1
    employee.setSharedObservers(nil)
    employee.salary = 2
    #expect(witness.take() == ["salary: setting, new 1"])
    await #expect(processExitsWith: .success) {
      endsWell(if: "NSRangeException", "because it is not registered as an observer.")
      let (employee, witness) = (Employee(), Witness())
      let shared = NSKeyValueSharedObservers(observableClass: Employee.self)
      shared.addSharedObserver(witness, forKey: "salary", context: nil)
      employee.setSharedObservers(shared.snapshot())
      employee.removeObserver(witness, forKeyPath: "salary", context: nil)
      exit(1)
    }
  }

  @Test("an observer that dies is no longer called, nor registered with further objects")
  func dyingObserver() {
    let employee = Employee()
    var other: Witness? = Witness()
    shared.addSharedObserver(other!, forKey: "salary", options: .new, context: nil)
    add("bonus", .new)
    employee.setSharedObservers(shared.snapshot())
    weak let weakOther = other
    other = nil
    #expect(weakOther == nil)
    employee.salary = 1
    let later = Employee()
    later.setSharedObservers(shared.snapshot())
    later.salary = 1
    later.bonus = 2
    #expect(witness.take() == ["bonus: setting, new 2"])
  }

  @Test("an observer may replace the shared observers while it's called")
  func replacingInside() {
    let replacer = Replacer()
    shared.addSharedObserver(replacer, forKey: "salary", context: nil)
    add("salary", .new)
    let others = NSKeyValueSharedObservers(observableClass: Employee.self)
    others.addSharedObserver(witness, forKey: "bonus", options: .new, context: nil)
    replacer.snapshot = others.snapshot()
    let employee = Employee()
    employee.setSharedObservers(shared.snapshot())
    employee.salary = 1
    employee.salary = 2
    employee.bonus = 3
    #expect(replacer.calls == 1)
    #expect(witness.take() == ["bonus: setting, new 3"])
  }

  @Test("several threads replace an object's shared observers; the last ones remain, once each")
  func threads() {
    nonisolated(unsafe) let employee = Employee()
    add("salary", .new)
    nonisolated(unsafe) let snapshot = shared.snapshot()
    DispatchQueue.concurrentPerform(iterations: 200) { _ in employee.setSharedObservers(snapshot) }
    employee.salary = 1
    #expect(witness.take() == ["salary: setting, new 1"])
    employee.setSharedObservers(nil)
    #expect(employee.observationInfo == nil)
  }

  @Test("another class, a path or an unknown key raises, and says what to do")
  func misuse() async {
    await #expect(processExitsWith: .success) {
      let expected =
        "these shared observers are for objects of Employee. Create them with "
        + "NSKeyValueSharedObservers(observableClass: Manager.self)."
      endsWell(if: "NSInvalidArgumentException", expected)
      Manager().setSharedObservers(
        NSKeyValueSharedObservers(observableClass: Employee.self).snapshot())
    }
    await #expect(processExitsWith: .success) {
      endsWell(
        if: "NSInvalidArgumentException",
        "shared observers observe keys, and 'team.name' is a key path. "
          + "Use addObserver(_:forKeyPath:options:context:) of each object.")
      NSKeyValueSharedObservers(observableClass: Employee.self)
        .addSharedObserver(Witness(), forKey: "team.name", context: nil)
    }
    await #expect(processExitsWith: .success) {
      endsWell(if: "NSUnknownKeyException", "Employee has no key 'salry'. Did you mean 'salary'?")
      let shared = NSKeyValueSharedObservers(observableClass: Employee.self)
      let witness = Witness()
      shared.addSharedObserver(witness, forKey: "salry", context: nil)
      Employee().setSharedObservers(shared.snapshot())
    }
  }
}

/// Ends the process successfully once an exception with this name and reason is raised.
private func endsWell(if name: String, _ reason: String) {
  KeyValueViolation.handler = { violation in
    let text = violation.description
    guard violation.kind == .exception, text.hasPrefix(name), text.contains(reason) else {
      print(text)
      return
    }
    exit(0)
  }
}
