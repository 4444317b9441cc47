import FoundationKVO

@KeyValueObservable
class Person: NSObject {
  dynamic var firstName: String
  dynamic var lastName: String
  dynamic var email: String?
  dynamic var address: Address?

  init(firstName: String, lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
    super.init()
  }

  var fullName: String {
    get { "\(firstName) \(lastName)" }
    set {
      let names = newValue.components(separatedBy: " ")
      firstName = names.first ?? ""
      lastName = names.dropFirst().joined(separator: " ")
    }
  }

  var badge: String {
    guard let city = address?.city else { return fullName }
    return "\(fullName) (\(city))"
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    var keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    switch key {
    case "fullName":
      keyPaths.formUnion(["firstName", "lastName"])
    case "badge":
      keyPaths.formUnion(["fullName", "address.city"])
    default:
      break
    }
    return keyPaths
  }

  func validateEmail(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let email = ioValue.pointee as? String else { return }
    guard email.contains("@") else {
      throw ModelError.invalid(key: "email", reason: "no @")
    }
    ioValue.pointee = email.lowercased() as AnyObject
  }

  override var description: String { fullName }
}

@KeyValueObservable
class Customer: Person {
  dynamic private(set) var invoices: [Invoice] = []

  dynamic var number = 0

  func add(_ invoice: Invoice) {
    mutableArrayValue(forKey: "invoices").add(invoice)
    invoice.customer = self
  }

  // MARK: - Accounts

  var balance: Double {
    let open = invoices.filter { !$0.isPaid }
    return (open as NSArray).value(forKeyPath: "@sum.total") as! Double
  }
}
