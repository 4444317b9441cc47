import KeyValueObserving
import KeyValueTestSupport
import Testing

/// In-place modification with a sole observance: values of every kind, and events in its middle.
@Suite("N. In-place modification with a sole observer")
struct InPlaceAudienceTests {
  private let log = ChangeLog()
  private let model = InPlaceModel()

  @Test(
    "N11 A sole observer receives the values that it requests, whatever their type",
    arguments: [[], .old, .new, [.old, .new]] as [KeyValueObservingOptions])
  func values(options: KeyValueObservingOptions) {
    let tokens = [
      model.kvo.number.observe(options: options, changeHandler: log.handler("number")),
      model.kvo.triple.observe(options: options, changeHandler: log.handler("triple")),
      model.kvo.quad.observe(options: options, changeHandler: log.handler("quad")),
      model.kvo.text.observe(options: options, changeHandler: log.handler("text")),
      model.kvo.list.observe(options: options, changeHandler: log.handler("list")),
      model.kvo.maybe.observe(options: options, changeHandler: log.handler("maybe")),
    ]
    model.number += 1
    model.triple.z += 1
    model.quad.w += 1
    model.text += "b"
    model.list.append(2)
    model.maybe? += 1
    func line(_ name: String, _ old: String, _ new: String) -> String {
      "\(name): setting" + (options.contains(.old) ? ", old: \(old)" : "")
        + (options.contains(.new) ? ", new: \(new)" : "")
    }
    #expect(
      log.take() == [
        line("number", "0", "1"), line("triple", "(1 2 3)", "(1 2 4)"),
        line("quad", "(1 2 3 4)", "(1 2 3 5)"), line("text", "\"a\"", "\"ab\""),
        line("list", "[1]", "[1, 2]"), line("maybe", "1", "2"),
      ])
    for token in tokens { token.invalidate() }
    #expect(model.observationInfo.isEmpty)
  }

  @Test("N11 A path's sole observer is notified of a change of the leaf, with the observed object")
  func path() {
    let owner = InPlaceOwner(model)
    let token = owner.kvo.model.number.observe(options: [.old, .new]) { root, change in
      log.note("\(root === owner) \(change)")
    }
    model.number += 1
    model.number += 1
    #expect(
      log.take() == ["true setting, old: 0, new: 1", "true setting, old: 1, new: 2"])
    token.invalidate()
    model.number += 1
    #expect(log.take() == [])
  }

  @Test("N2 A sole observer that ends during a modification isn't notified; the next one succeeds")
  func endsMeanwhile() {
    let token = model.kvo.number.observe(
      options: [.old, .new], changeHandler: log.handler("number"))
    func change(_ number: inout Int) {
      number += 1
      token.invalidate()
      number += 1
    }
    change(&model.number)
    #expect(log.take() == [])
    #expect(model.observationInfo.isEmpty)
    model.number += 1
    #expect(model.number == 3)
  }

  @Test("N2 An observer added during a modification is notified from the next one on")
  func comesMeanwhile() {
    let first = model.kvo.number.observe(options: .new, changeHandler: log.handler("first"))
    var second: KeyValueObservation?
    func change(_ number: inout Int) {
      number += 1
      second = model.kvo.number.observe(options: .new, changeHandler: log.handler("second"))
    }
    change(&model.number)
    #expect(log.take() == ["first: setting, new: 1"])
    model.number += 1
    #expect(log.take() == ["first: setting, new: 2", "second: setting, new: 2"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("N11 Properties modified at the same time each notify on their own")
  func severalAtOnce() {
    let tokens = [
      model.kvo.number.observe(options: [.old, .new], changeHandler: log.handler("number")),
      model.kvo.text.observe(options: [.old, .new], changeHandler: log.handler("text")),
      model.kvo.list.observe(changeHandler: log.handler("list")),
    ]
    func change(_ number: inout Int, _ text: inout String, _ list: inout [Int]) {
      number += 1
      text += "b"
      list.append(2)
      #expect(model.maybe == 1)
    }
    change(&model.number, &model.text, &model.list)
    #expect(
      Set(log.take()) == [
        "number: setting, old: 0, new: 1", "text: setting, old: \"a\", new: \"ab\"",
        "list: setting",
      ])
    #expect(model.number == 1)
    #expect(model.text == "ab")
    #expect(model.list == [1, 2])
    for token in tokens { token.invalidate() }
  }

  @Test("N11 A property's own didSet may use the property before the sole observer is notified")
  func ownObservers() {
    let token = model.kvo.watched.observe(
      options: [.old, .new], changeHandler: log.handler("watched"))
    func change(_ watched: inout Int, _ number: inout Int) {
      watched += 1
      number += 1
    }
    change(&model.watched, &model.number)
    #expect(model.seen == ["0 to 1"])
    #expect(log.take() == ["watched: setting, old: 0, new: 1"])
    change(&model.watched, &model.number)
    #expect(model.seen == ["0 to 1", "1 to 2"])
    #expect(log.take() == ["watched: setting, old: 1, new: 2"])
    #expect(model.number == 2)
    token.invalidate()
  }

  @Test("N12 A sole observer is notified of a modification that throws, and is released afterwards")
  func throwing() {
    struct Refusal: Error {}
    weak var held: Holder?
    do {
      let holder = Holder()
      held = holder
      let token = model.kvo.number.observe(options: [.old, .new]) { [log] _, change in
        log.note("\(change) \(holder.name)")
      }
      func change(_ number: inout Int) throws {
        number += 1
        throw Refusal()
      }
      #expect(throws: Refusal.self) { try change(&model.number) }
      #expect(log.take() == ["setting, old: 0, new: 1 holder"])
      token.invalidate()
    }
    #expect(held == nil)
  }

  @Test("N11 A transaction inside a modification defers only its own changes")
  func transactionInside() {
    let tokens = [
      model.kvo.number.observe(options: [.old, .new], changeHandler: log.handler("number")),
      model.kvo.text.observe(options: [.old, .new], changeHandler: log.handler("text")),
    ]
    func change(_ number: inout Int) {
      model.performChanges { model in
        number += 1
        model.text += "b"
        log.note("inside")
      }
    }
    change(&model.number)
    #expect(
      log.take() == [
        "inside", "text: setting, old: \"a\", new: \"ab\"", "number: setting, old: 0, new: 1",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N11 Modifications in a transaction are delivered once, at its end")
  func transaction() {
    let token = model.kvo.number.observe(
      options: [.old, .new], changeHandler: log.handler("number"))
    model.performChanges { model in
      model.number += 1
      model.number += 1
      log.note("inside")
    }
    #expect(log.take() == ["inside", "number: setting, old: 0, new: 2"])
    token.invalidate()
  }
}

@KeyValueObservable
private final class InPlaceOwner {
  var model: InPlaceModel

  init(_ model: InPlaceModel) { self.model = model }
}

@KeyValueObservable
private final class InPlaceModel {
  var number = 0
  var triple = Triple()
  var quad = Quad()
  var text = "a"
  var list = [1]
  var maybe: Int? = 1
  var watched = 0 {
    didSet { seen.append("\(oldValue) to \(watched)") }
  }
  @KeyValueIgnored var seen: [String] = []
}

private final class Holder {
  let name = "holder"
}

private struct Triple: CustomStringConvertible {
  var x = 1
  var y = 2
  var z = 3
  var description: String { "(\(x) \(y) \(z))" }
}

/// One word larger than the values that are kept without a box.
private struct Quad: CustomStringConvertible {
  var x = 1
  var y = 2
  var z = 3
  var w = 4
  var description: String { "(\(x) \(y) \(z) \(w))" }
}
