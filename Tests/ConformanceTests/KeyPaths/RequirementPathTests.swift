import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Paths by a protocol's requirement, whose key path names no key.
@Suite("P. Paths by a requirement")
struct RequirementPathTests {
  private let log = ChangeLog()

  @Test(
    "P1 A requirement that an override over two keys implements is observed, and prints as its key")
  func override() {
    let fancy = Fancy()
    let token = observeTitle(of: fancy, options: [.old, .new], changeHandler: log.handler("title"))
    #expect(token.isValid)
    #expect(token.keyPath == "title")
    #expect(fancy.observationInfo.map { "\($0)" } == ["title -> closure, options: [.new, .old]"])
    fancy.first = "z"
    fancy.last = "w"
    #expect(
      log.take() == [
        #"title: setting, old: "x y", new: "z y""#, #"title: setting, old: "z y", new: "z w""#,
      ])
    token.invalidate()
    #expect(isIdle(fancy))
  }

  @Test("P1 A requirement whose value isn't a number, and so doesn't equal itself, is observed")
  func notANumber() {
    func observe<Object: Sensor & KeyValueObservable>(_ object: Object) -> KeyValueObservation {
      object.kvo.reading.observe(options: [.old, .new], changeHandler: log.handler("reading"))
    }
    let gauge = Gauge()
    let token = observe(gauge)
    #expect(token.isValid && token.keyPath == "reading")
    gauge.reading = 1
    #expect(log.take() == ["reading: setting, old: nan, new: 1.0"])
    token.invalidate()
  }

  @Test("L2 A path by a requirement prints as the key that implements it, anywhere in the path")
  func printing() {
    let plain = Plain()
    let token = observeTitle(of: plain, options: .new, changeHandler: log.handler("title"))
    #expect(token.keyPath == "title")
    #expect("\(token)" == "KeyValueObservation(title, valid)")
    let shelf = TitledShelf()
    let behind = shelf.kvo.item.title.observe(options: .new, changeHandler: log.handler("item"))
    #expect(behind.keyPath == "item.title")
    #expect(shelf.observationInfo.map { "\($0)" } == ["item.title -> closure, options: [.new]"])
    plain.title = "b"
    shelf.item.title = "c"
    #expect(log.take() == [#"title: setting, new: "b""#, #"item: setting, new: "c""#])
    token.invalidate()
    behind.invalidate()
  }

  @Test("O A controller finds a path by a requirement again, though it prints otherwise meanwhile")
  func controller() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let owner = ObservingOwner(log)
      let (rack, plain) = (TitledRack(), Plain())
      rack.item = plain
      for _ in 0..<2 {
        owner.observer.observe(rack.kvo.item.title, options: .new) { owner, _, change in
          owner.log.note("title", change)
        }
      }
      #expect(
        violations.take() == [
          "tolerated: 'item.title' of TitledRack is observed by this controller of ObservingOwner "
            + "already, and the second registration was ignored. Unobserve the first, or do both "
            + "things in one handler."
        ])
      plain.title = "b"
      #expect(log.take() == [#"title: setting, new: "b""#])
      owner.observer.unobserve(rack.kvo.item.title)
      plain.title = "c"
      #expect(log.take() == [] && isIdle(rack, plain))
    }
  }
}

private protocol Titled: AnyObject {
  var title: String { get set }
}

private protocol Sensor: AnyObject {
  var reading: Double { get }
}

@KeyValueObservable
private final class Gauge: Sensor {
  var reading = Double.nan
}

private func observeTitle<Object: Titled & KeyValueObservable>(
  of object: Object, options: KeyValueObservingOptions,
  changeHandler: @escaping (Object, KeyValueObservedChange<String>) -> Void
) -> KeyValueObservation {
  object.kvo.title.observe(options: options, changeHandler: changeHandler)
}

@KeyValueObservable
private class Plain: Titled {
  var title = "a"
}

@KeyValueObservable
private final class Fancy: Plain {
  var first = "x"
  var last = "y"
  override var title: String {
    get { "\(first) \(last)" }
    set { first = newValue }
  }
}

@KeyValueObservable
private final class TitledShelf {
  var item: any Titled = Plain()
}

/// A class whose paths only one test spells.
@KeyValueObservable
private final class TitledRack {
  var item: any Titled = Plain()
}
