import FoundationKVO
import Testing

// Dependent keys, to-one and to-many, as the guide to key-value observing shows them.

@KeyValueObservable
private class Person: NSObject {
  dynamic var firstName = ""
  dynamic var lastName = ""

  var fullName: String { "\(firstName) \(lastName)" }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    var keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    if key == "fullName" {
      let affectingKeys: Set = ["lastName", "firstName"]
      keyPaths = keyPaths.union(affectingKeys)
    }
    return keyPaths
  }
}

@KeyValueObservable
private class Citizen: NSObject {
  dynamic var firstName = ""
  dynamic var lastName = ""

  var fullName: String { "\(firstName) \(lastName)" }

  class func keyPathsForValuesAffectingFullName() -> Set<String> {
    ["lastName", "firstName"]
  }
}

@KeyValueObservable
private class Employee: NSObject {
  dynamic var salary = 0.0

  init(salary: Double) {
    super.init()
    self.salary = salary
  }
}

nonisolated(unsafe) private var totalSalaryContext = 0

/// A sum over a relationship, updated by observing each employee.
@KeyValueObservable
private class Department: NSObject {
  private var staff: [Employee] = []
  private var sum: NSNumber = 0

  func countOfEmployees() -> Int { staff.count }
  func objectInEmployees(at index: Int) -> Employee { staff[index] }

  dynamic func insertObject(_ employee: Employee, inEmployeesAt index: Int) {
    staff.insert(employee, at: index)
    employee.addObserver(
      self, forKeyPath: "salary", options: [.new, .old], context: &totalSalaryContext)
    updateTotalSalary()
  }

  dynamic func removeObjectFromEmployees(at index: Int) {
    staff[index].removeObserver(self, forKeyPath: "salary", context: &totalSalaryContext)
    staff.remove(at: index)
    updateTotalSalary()
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    if context == &totalSalaryContext {
      updateTotalSalary()
    } else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
  }

  func updateTotalSalary() {
    totalSalary = value(forKeyPath: "employees.@sum.salary") as! NSNumber
  }

  var totalSalary: NSNumber {
    get { sum }
    set {
      if sum != newValue {
        willChangeValue(forKey: "totalSalary")
        sum = newValue
        didChangeValue(forKey: "totalSalary")
      }
    }
  }
}

@Suite("The guide to observing: dependent keys")
struct GuideDependentTests {
  private let witness = Witness()

  @Test("a full name follows its parts, declared by either of the two methods")
  func toOne() {
    let person = Person()
    person.watch(["fullName"], witness)
    person.firstName = "Ada"
    person.lastName = "King"
    #expect(
      witness.take() == [
        "fullName: setting, old  , new Ada ", "fullName: setting, old Ada , new Ada King",
      ])
    let citizen = Citizen()
    citizen.watch(["fullName"], witness)
    citizen.setValue("Ada", forKey: "firstName")
    citizen.lastName = "King"
    #expect(
      witness.take() == [
        "fullName: setting, old  , new Ada ", "fullName: setting, old Ada , new Ada King",
      ])
    #expect(
      Person.keyPathsForValuesAffectingValue(forKey: "fullName") == ["firstName", "lastName"])
  }

  @Test("a total follows the employees and their salaries")
  func toMany() {
    let department = Department()
    department.watch(["totalSalary"], witness)
    let employees = department.mutableArrayValue(forKey: "employees")
    let (ada, alan) = (Employee(salary: 100), Employee(salary: 50))
    employees.add(ada)
    employees.add(alan)
    alan.salary = 75
    ada.salary = 100
    employees.remove(ada)
    ada.salary = 1
    #expect(
      witness.take() == [
        "totalSalary: setting, old 0, new 100", "totalSalary: setting, old 100, new 150",
        "totalSalary: setting, old 150, new 175", "totalSalary: setting, old 175, new 75",
      ])
  }
}
