#if KVO_LIKELY_MISTAKES
  // The likeliest mistakes with a bound path. This file isn't compiled with the tests: `MistakeTests`
  // type-checks it, and expects all the words after `says:` in the diagnostics of the line below. The
  // documentation shows each mistake marked `on the page`, with its diagnostic.

  import KeyValueObserving

  @KeyValueObservable
  private class Person {
    var name = ""
    var age = 0
    var nick: String?
    var values = 1
    var observe = 2
    var description = ""
    var frame = Frame()
    var account: Account?
    var employees: [Person] = []
  }

  @KeyValueObservable
  private final class Account {
    var balance = 0.0
    var owner: Person?
  }

  @KeyValueObservable
  private final class Label {
    var text = ""
    var count = 0
  }

  private struct Frame { var x = 0 }

  private let digits = KeyValueTransformer<Int, String>(
    forward: { String($0) }, backward: { Int($0) ?? 0 })

  private let amount = KeyValueTransformer<Double, String>(
    forward: { String($0) }, backward: { Double($0) ?? 0 })

  private final class Plain { var name = "" }

  private protocol Named: KeyValueObservable { var name: String { get } }

  private func likely(
    _ person: Person, _ label: Label, _ plain: Plain, _ named: any Named, _ maybe: Person?
  ) {
    // misspelt, first of several | says: 'KeyValueBoundPath<Person, Person>' + 'acount'
    _ = person.kvo.acount.balance.observe { _, _ in }

    // misspelt, alone | says: 'KeyValueBoundPath<Person, Person>' + 'nam'
    _ = person.kvo.nam.observe { _, _ in }

    // misspelt, second, behind an optional | says: 'KeyValueBoundPath<Person, Account?>' + 'ownr'
    _ = person.kvo.account.ownr.name.observe { _, _ in }

    // misspelt, last, behind an optional | says: 'KeyValueBoundPath<Person, Account?>' + 'balanc'
    _ = person.kvo.account.balanc.observe { _, _ in }

    // misspelt, last, behind two optionals | says: 'KeyValueBoundPath<Person, Person?>' + 'nam'
    _ = person.kvo.account.owner.nam.observe { _, _ in }

    // misspelt member of a value | says: 'KeyValueBoundPath<Person, Frame>' + 'z'
    _ = person.kvo.frame.z.observe { _, _ in }

    // misspelt target of a binding | says: 'KeyValueBoundPath<Label, Label>' + 'txt'
    _ = person.kvo.account.balance.bind(to: label.kvo.txt) { "\($0 ?? 0)" }

    // a question mark | says: optional chaining + 'KeyValueBoundPath<Person, Account?>'
    _ = person.kvo.account?.balance.observe { _, _ in }

    // a handler of one argument | says: '(Person, KeyValueObservedChange<String>) -> Void' + expects 2
    _ = person.kvo.name.observe { _ in }

    // a handler without arguments | says: expects 2 arguments
    _ = person.kvo.name.observe { print("changed") }

    // a main-actor handler of two arguments | says: KeyValueObservedChange<String> + expects 1 argument
    _ = person.kvo.name.observe(on: .mainActor) { _, _ in }

    // a sum of texts | says: KeyValuePath<Person, String> + Number
    // on the page
    _ = person.kvo.employees[sum: \.name].observe { _, _ in }

    // a mean of texts | says: KeyValuePath<Person, String> + Number
    _ = person.kvo.employees[average: \.name].observe { _, _ in }

    // a sum of a misspelt key | says: 'subscript(dynamicMember:)' + 'Person'
    // on the page
    _ = person.kvo.employees[sum: \.agee].observe { _, _ in }

    // an operator's name from a string path | says: 'subscript(dynamicMember:)' + 'Wrapped?'
    // on the page
    _ = person.kvo.employees[max: \.age].observe { _, _ in }

    // an operator of one object | says: 'Account' + 'Sequence'
    _ = person.kvo.account[sum: \.balance].observe { _, _ in }

    // elements without each | says: 'KeyValueBoundPath<Person, [Person]>' + 'name'
    // on the page
    _ = person.kvo.employees.name.observe { _, _ in }

    // bound to another type | says: 'KeyValueBoundPath<Label, Int>' + 'KeyValueBoundPath<Label, String>'
    _ = person.kvo.name.bind(to: label.kvo.count)

    // bound both ways to another type | says: 'KeyValueBoundPath<Label, Int>' + 'KeyValueBoundPath<Label, String>'
    _ = person.kvo.name.bindTwoWay(to: label.kvo.count)

    // an optional value bound to one that isn't | says: 'bind(to:validates:onError:fileID:line:)' is unavailable + pass placeholder:, or transform:, or transformer:
    _ = person.kvo.nick.bind(to: label.kvo.text)

    // an optional value bound both ways to one that isn't | says: 'bindTwoWay(to:validates:onError:fileID:line:)' is unavailable + pass placeholder: for nil, or transformer:
    _ = person.kvo.nick.bindTwoWay(to: label.kvo.text)

    // a value bound both ways to an optional one | says: 'bindTwoWay(to:validates:onError:fileID:line:)' is unavailable + pass transformer:, which says what nil becomes
    _ = label.kvo.text.bindTwoWay(to: person.kvo.nick)

    // an optional value and a transformer of one that isn't | says: 'bind(to:transformer:validates:onError:fileID:line:)' is unavailable + pass a transformer of the optional value, or transform:
    _ = person.kvo.account.balance.bind(to: label.kvo.text, transformer: amount)

    // the same, both ways | says: 'bindTwoWay(to:transformer:validates:onError:fileID:line:)' is unavailable + pass a transformer of the optional value, which says what nil becomes
    _ = person.kvo.account.balance.bindTwoWay(to: label.kvo.text, transformer: amount)

    // the same with closures | says: 'bindTwoWay(to:transformer:validates:onError:fileID:line:)' is unavailable + pass a transformer of the optional value, which says what nil becomes
    _ = person.kvo.account.balance.bindTwoWay(
      to: label.kvo.text,
      transformer: .init(forward: { String($0) }, backward: { Double($0) ?? 0 }))

    // an optional target and a transformer to one that isn't, both ways | says: 'bindTwoWay(to:transformer:validates:onError:fileID:line:)' is unavailable + pass a transformer to the optional value, which says what nil becomes
    _ = person.kvo.age.bindTwoWay(to: person.kvo.nick, transformer: digits)

    // misspelt, last, behind an optional, with a transformer | says: 'KeyValueBoundPath<Person, Account?>' + 'balanc'
    _ = person.kvo.account.balanc.bindTwoWay(to: label.kvo.text, transformer: amount)

    // a class without the macro | says: 'Plain' + 'kvo'
    _ = plain.kvo.name.observe { _, _ in }

    // an existential | says: 'kvo' + 'any Named'
    _ = named.kvo.name.observe { _, _ in }

    // an optional object | says: 'Person?' + 'kvo'
    _ = maybe.kvo.name.observe { _, _ in }

    // a key called values | says: KeyValueValues<Person> + 'observe'
    // on the page
    _ = person.kvo.values.observe { _, _ in }

    // a key called observe | says: KeyValueObservation + 'observe'
    // on the page
    _ = person.kvo.observe.observe { _, _ in }

    // Foundation's spelling, misspelt | says: 'subscript(dynamicMember:)' + 'Person'
    // on the page
    _ = person.observe(\.nam) { _, _ in }

    // Foundation's spelling, misspelt behind an object | says: 'subscript(dynamicMember:)' + 'Person'
    // on the page
    _ = person.observe(\.account.balanse) { _, _ in }

    // the same path without a literal | says: 'balanse' + 'Account?'
    _ = person.kvo.account.balanse.observe { _, _ in }

    _ = person.kvo.age.observe { _, change in
      switch change.kind {
      // an edit's name for a kind | says: 'set' has been renamed to 'setting'
      case .set: break
      default: break
      }
    }

    // a new value of a path behind optionals | says: 'Person?' + must be unwrapped + 'name'
    // on the page
    _ = person.kvo.account.owner.name.observe { _, change in label.text = change.newValue ?? "" }

    // a target's method of another class | says: 'Label' + 'Person'
    _ = person.kvo.name.observe(target: label, action: Person.changed)
  }

  private func right(_ person: Person) {
    // right: a key called description
    _ = person.kvo.description.observe { _, _ in }

    // right: a key called values, in brackets
    _ = person.kvo[\.values].observe { _, _ in }

    // right: a transformer to a target that is optional
    _ = person.kvo.age.bind(to: person.kvo.nick, transformer: digits)

    // right: the same behind an optional owner
    _ = person.kvo.age.bind(to: person.kvo.account.owner.name, transformer: digits)

    // right: a new value of a path behind optionals
    _ = person.kvo.account.owner.name.observe { _, change in
      print((change.newValue ?? nil) ?? "")
    }
  }

  extension Person {
    fileprivate func changed() {}
  }
#endif
