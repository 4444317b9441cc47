import FoundationKVO

@KeyValueObservable
class Employee: Person {
  dynamic var salary = 0.0
  dynamic var title: String?
  dynamic weak var department: Department?
  dynamic weak var manager: Manager?

  override func setNilValueForKey(_ key: String) {
    if key == "salary" {
      salary = 0
    } else {
      super.setNilValueForKey(key)
    }
  }

  override var badge: String {
    guard let department = department else { return super.badge }
    return "\(super.badge), \(department.name)"
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    return key == "badge" ? keyPaths.union(["department.name"]) : keyPaths
  }

  func validateSalary(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let salary = ioValue.pointee as? NSNumber, salary.doubleValue >= 0 else {
      throw ModelError.invalid(key: "salary", reason: "not negative")
    }
    if let manager = manager, salary.doubleValue > manager.salary {
      ioValue.pointee = NSNumber(value: manager.salary)
    }
  }
}

@KeyValueObservable
class Manager: Employee {
  private var team = Set<Employee>()

  var reports: Set<Employee> { team }

  dynamic func addReportsObject(_ employee: Employee) {
    employee.manager = self
    team.insert(employee)
  }

  dynamic func removeReportsObject(_ employee: Employee) {
    employee.manager = nil
    team.remove(employee)
  }

  var averageSalary: Double {
    value(forKeyPath: "reports.@avg.salary") as? Double ?? 0
  }

  class func keyPathsForValuesAffectingAverageSalary() -> Set<String> {
    ["reports"]
  }
}
