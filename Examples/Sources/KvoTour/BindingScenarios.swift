import KeyValueObserving

@KeyValueObservable
private final class Person {
  var name = "Ada"
  var age = 36

  func validateAge(_ value: inout Int) throws {
    value = min(value, 120)
  }
}

@KeyValueObservable
private final class Field {
  var text = ""
}

@KeyValueObservable
private final class Form {
  var field: Field?
}

private struct NotANumber: Error {}

private func number(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw NotANumber() }
  return number
}

extension Scenario {
  static let binding = Scenario(
    "binding", on: .bindings, "a property follows another, and two properties stay equal"
  ) { printer in
    let person = Person()
    let field = Field()

    printer.remark("one way")
    printer.step("bind person.name to the text of form.field, which is nil")
    let form = Form()
    let oneWay = person.kvo.name.bind(to: form.kvo.field.text)
    printer.step("form.field = field")
    form.field = field
    printer.heard("field.text is \"\(field.text)\"")
    printer.step("person.name = \"Grace\"")
    person.name = "Grace"
    printer.heard("field.text is \"\(field.text)\"")
    printer.step("the binding ends; person.name = \"Mary\"")
    oneWay.invalidate()
    person.name = "Mary"
    printer.heard("field.text is \"\(field.text)\"")

    printer.remark("both ways, with a transformer and the key's validation")
    printer.step("bind person.age, which is \(person.age), to field.text")
    let bothWays = person.kvo.age.bindTwoWay(
      to: field.kvo.text,
      transformer: KeyValueTransformer(forward: { "\($0)" }, backward: { try number($0) }),
      validates: true, onError: { printer.heard("rejected: \($0)") })
    printer.heard("field.text is \"\(field.text)\"")
    for text in ["40", "200", "old"] {
      printer.step("field.text = \"\(text)\"")
      field.text = text
      printer.heard("person.age is \(person.age), field.text is \"\(field.text)\"")
    }
    withExtendedLifetime(bothWays) {}
  }
}
