import FoundationKVO

enum RaiseError: LocalizedError {
  case outOfRange(Double)

  var errorDescription: String? {
    switch self {
    case .outOfRange(let raise): return "A raise of \(percent(raise)) is not between -10% and 100%."
    }
  }
}

func percent(_ fraction: Double) -> String {
  String(format: "%.1f%%", fraction * 100)
}

@KeyValueObservable
class Employee: NSObject {
  dynamic var name: String? = "New Employee"
  dynamic var raise = 0.05

  convenience init(name: String, raise: Double) {
    self.init()
    self.name = name
    self.raise = raise
  }

  var summary: String {
    "\(name ?? "(no name)") \(percent(raise))"
  }

  class func keyPathsForValuesAffectingSummary() -> Set<String> {
    ["name", "raise"]
  }

  // An emptied text field sets nil.
  override func setNilValueForKey(_ key: String) {
    if key == "raise" {
      raise = 0
    } else {
      super.setNilValueForKey(key)
    }
  }

  func validateRaise(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let number = ioValue.pointee as? NSNumber else { return }
    guard (-0.1...1).contains(number.doubleValue) else {
      throw RaiseError.outOfRange(number.doubleValue)
    }
    // Rounds to a tenth of a percent.
    ioValue.pointee = NSNumber(value: (number.doubleValue * 1000).rounded() / 1000)
  }

  override var description: String { summary }
}
