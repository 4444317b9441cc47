import FoundationKVO

enum ModelError: Error, Equatable {
  case invalid(key: String, reason: String)
}

@KeyValueObservable
class Address: NSObject {
  dynamic var street: String
  dynamic var city: String
  dynamic var postalCode: String

  init(street: String, city: String, postalCode: String) {
    self.street = street
    self.city = city
    self.postalCode = postalCode
    super.init()
  }

  var label: String { "\(street), \(postalCode) \(city)" }

  class func keyPathsForValuesAffectingLabel() -> Set<String> {
    ["street", "postalCode", "city"]
  }

  func validatePostalCode(
    _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>
  ) throws {
    let code = (ioValue.pointee as? String)?.trimmingCharacters(in: .whitespaces) ?? ""
    guard code.count == 5, code.allSatisfy(\.isNumber) else {
      throw ModelError.invalid(key: "postalCode", reason: "five digits")
    }
    ioValue.pointee = code as NSString
  }
}
