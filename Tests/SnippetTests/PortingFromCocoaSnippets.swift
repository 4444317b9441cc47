import FoundationKVO
import Testing

@Suite("PortingFromCocoa.md", .printing)
struct PortingFromCocoaSnippets {
  // snippet PortingFromCocoa 1
  @KeyValueObservable
  class Employee: NSObject {
    dynamic var name = "Ada"
    dynamic var salary = 0.0
  }

  class Payroll: NSObject {
    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      print(keyPath!, change![.oldKey]!, "->", change![.newKey]!)
    }
  }
  // end

  @Test("An observer object gets Cocoa's change dictionary")
  func example() throws {
    // snippet PortingFromCocoa 1
    let (employee, payroll) = (Employee(), Payroll())
    employee.addObserver(payroll, forKeyPath: "name", options: [.old, .new], context: nil)
    employee.name = "Grace"  // name Ada -> Grace
    employee.setValue("Kay", forKey: "name")  // name Grace -> Kay
    employee.removeObserver(payroll, forKeyPath: "name")
    // end
    try expectPrinted("PortingFromCocoa", 1)
  }
}
