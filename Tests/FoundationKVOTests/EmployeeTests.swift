import FoundationKVO
import Testing

@KeyValueObservable
private class Person: NSObject {
  dynamic var firstName = ""
  dynamic var lastName = ""
  dynamic var age = 0
  dynamic var manager: Person?
  var silent = 1
  lazy var cache = [Int]()
  private var balance = 0.0

  dynamic var fullName: String {
    "\(firstName) \(lastName)"
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    var keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    if key == "fullName" { keyPaths.formUnion(["firstName", "lastName"]) }
    return keyPaths
  }

  dynamic var openingBalance: Double {
    get { balance }
    set { balance = newValue }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    let parts = [NSKeyValueChangeKey.kindKey, .oldKey, .newKey].map { key in
      change?[key].map { "\(key.rawValue) \($0)" } ?? "no \(key.rawValue)"
    }
    lines.append("\(keyPath ?? "nil"): \(parts.joined(separator: ", "))")
  }
  @KeyValueIgnored var lines: [String] = []
}

@Suite("Cocoa's classes: keys, dictionaries, dynamic")
struct EmployeeTests {
  @Test("dynamic properties announce themselves, others are silent keys")
  func dynamic() {
    let (person, observer) = (Person(), Person())
    for key in ["firstName", "age", "fullName", "openingBalance", "silent", "manager.age"] {
      person.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
    person.firstName = "Ada"
    person.age = 36
    person.openingBalance = 5
    person.silent = 2
    person.manager = observer
    observer.age = 3
    person.setValue(37, forKey: "age")
    #expect(observer.lines == [])
    #expect(person.value(forKey: "age") as? Double == 37)
    #expect(person.value(forKey: "silent") as? Int == 2)
    #expect(person.value(forKeyPath: "manager.age") is NSNumber)
    #expect(person.observationInfo != nil)
    for key in ["firstName", "age", "fullName", "openingBalance", "silent", "manager.age"] {
      person.removeObserver(observer, forKeyPath: key)
    }
    #expect(person.observationInfo == nil)
  }
}
