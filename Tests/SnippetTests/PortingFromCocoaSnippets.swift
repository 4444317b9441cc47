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

  // snippet PortingFromCocoa 2
  @KeyValueObservable
  class Record: NSObject {
    dynamic var title = ""
    dynamic var pages = 0
    private(set) var isDirty = false
    class var persistentKeys: Set<String> { ["title", "pages"] }

    override init() {
      super.init()
      for key in Self.persistentKeys {
        addObserver(self, forKeyPath: key, options: [], context: nil)
      }
    }

    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      isDirty = true
    }
  }

  @KeyValueObservable
  final class Novel: Record {
    dynamic var hero = ""
    override class var persistentKeys: Set<String> { super.persistentKeys.union(["hero"]) }
  }
  // end

  @Test("A model that observes itself knows of changes by setters, by key and through proxies")
  func flag() throws {
    // snippet PortingFromCocoa 2
    let novel = Novel()
    print(novel.isDirty)  // false
    novel.setValue("Emma", forKey: "hero")
    print(novel.isDirty)  // true
    // end
    try expectPrinted("PortingFromCocoa", 2)
    let set = Record()
    set.pages = 12
    #expect(set.isDirty)
    let untouched = Record()
    #expect(!untouched.isDirty)
  }
}
