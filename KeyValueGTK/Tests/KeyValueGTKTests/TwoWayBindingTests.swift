import CGtk4
import KeyValueGTK
import KeyValueObserving
import XCTest

/// Two-way bindings between keys and widgets.
final class TwoWayBindingTests: GTKTestCase {
  func testBothSidesFollow() throws {
    try gtk {
      let person = Person("Ada")
      let entry = Widget(gtk_entry_new())
      let binding = person.kvo.name.bindTwoWay(to: entry.pointer, "text")
      XCTAssertEqual(entry.text, "Ada")
      person.name = "Grace"
      XCTAssertEqual(entry.text, "Grace")
      entry.text = "Mary"
      XCTAssertEqual(person.name, "Mary")
      XCTAssertTrue(binding.isValid)
      XCTAssertNil(binding.error)
    }
  }
}
