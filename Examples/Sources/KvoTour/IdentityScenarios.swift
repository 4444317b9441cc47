import KeyValueObserving

@KeyValueObservable
private final class Person {
  var name = "Ada"
}

extension Scenario {
  static let typeOf = Scenario(
    "typeOf", on: .observing, "observation does not change an object's class"
  ) { printer in
    let person = Person()
    func printType() { printer.heard("type(of: person) is \(type(of: person))") }
    printer.step("before")
    printType()
    printer.step("observed")
    let observation = person.kvo.name.observe { _, _ in printType() }
    printType()
    printer.step("in a callback")
    person.name = "Grace"
    printer.step("after")
    observation.invalidate()
    printType()
  }
}
