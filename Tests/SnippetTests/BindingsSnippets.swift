import KeyValueObserving
import Testing

@Suite("Bindings.md", .printing)
struct BindingsSnippets {
  // snippet Bindings 1
  @KeyValueObservable
  final class Person {
    var name = "Ada"
    var nickname: String?
    var age = 36

    func validateAge(_ value: inout Int) throws {
      value = min(value, 120)
    }
  }

  @KeyValueObservable
  final class Field {
    var text = ""
    var number = 0
  }

  struct Size { var width = 0, height = 0 }

  @KeyValueObservable
  final class Label {
    var text = ""
    var size = Size()
    var length: Int { text.count }
  }

  @KeyValueObservable
  final class Form {
    var field: Field?
  }

  struct NotANumber: Error {}
  func number(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw NotANumber() }
    return number
  }
  // end

  @Test("Bindings")
  func page() throws {
    // snippet Bindings 1
    let person = Person(), field = Field(), label = Label()
    // end
    do {
      // snippet Bindings 2
      let binding = person.kvo.name.bind(to: label.kvo.text)
      print(label.text)  // Ada
      person.name = "Grace"
      print(label.text)  // Grace
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 2)
    do {
      // snippet Bindings 3
      let age = person.kvo.age.bind(to: label.kvo.text) { "\($0) years" }
      print(label.text)  // 36 years
      let nickname = person.kvo.nickname.bind(to: label.kvo.text, placeholder: "nobody")
      print(label.text)  // nobody
      // end
      withExtendedLifetime((age, nickname)) {}
    }
    try expectPrinted("Bindings", 3)
    do {
      // snippet Bindings 4
      let binding = person.kvo.age.bind(to: label.kvo.size.width)
      print(label.size)  // Size(width: 36, height: 0)
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 4)
    do {
      // snippet Bindings 5
      let form = Form()
      let binding = person.kvo.name.bind(to: form.kvo.field.text)
      form.field = Field()
      print(form.field?.text ?? "none")  // Grace
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 5)
    do {
      // snippet Bindings 6
      let binding = person.kvo.age.bind(to: label.kvo.length, onError: { print($0) })
      print(binding.isValid)
      // end
    }
    try expectPrinted("Bindings", 6)
    do {
      // snippet Bindings 7
      let binding = person.kvo.name.bindTwoWay(to: field.kvo.text)
      field.text = "Mary"
      print(person.name)  // Mary
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 7)
    do {
      // snippet Bindings 8
      let binding = person.kvo.age.bindTwoWay(
        to: field.kvo.text,
        transformer: KeyValueTransformer(forward: { String($0) }, backward: { try number($0) }),
        onError: { print("not taken:", $0) })
      field.text = "37"
      print(person.age)  // 37
      field.text = "old"  // not taken: NotANumber()
      print(person.age, field.text)  // 37 old
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 8)
    do {
      // snippet Bindings 9
      let binding = person.kvo.age.bindTwoWay(to: field.kvo.number, validates: true)
      field.number = 500
      print(person.age, field.number)  // 120 120
      // end
      withExtendedLifetime(binding) {}
    }
    try expectPrinted("Bindings", 9)
  }
}
