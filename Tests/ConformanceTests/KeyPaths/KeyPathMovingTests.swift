import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The last object of a three-component path, with a subclass.
@KeyValueObservable
class Wheel {
  var size: Int
  var label: String { "wheel \(size)" }

  init(_ size: Int) { self.size = size }
}

@KeyValueObservable
final class SpareWheel: Wheel {
  var isFlat = false

  init(spare size: Int) { super.init(size) }
}

@KeyValueObservable
final class Axle {
  var wheel: Wheel?
  var wheels: [Wheel] = []

  init(_ wheel: Wheel?) { self.wheel = wheel }
}

@KeyValueObservable
final class Cart {
  var axle: Axle?

  init(_ axle: Axle?) { self.axle = axle }
}

@Suite("P. Key paths: objects on the path that alternate")
struct KeyPathMovingTests {
  private let log = ChangeLog()
  private let wheels = (0..<4).map { Wheel($0) }

  private func observe(_ cart: Cart) -> KeyValueObservation {
    cart.observe(\.axle.wheel.size, options: [.old, .new], changeHandler: log.handler("size"))
  }

  @Test("P2 Objects that alternate in the middle are each followed only while they are on the path")
  func takingTurns() {
    let cart = Cart(Axle(wheels[0]))
    let axle = cart.axle
    let token = observe(cart)
    for step in 1...4 {
      axle?.wheel = wheels[step % 2]
      wheels[(step + 1) % 2].size += 10
      wheels[step % 2].size += 100
    }
    #expect(
      log.take() == [
        "size: setting, old: 0, new: 1", "size: setting, old: 1, new: 101",
        "size: setting, old: 101, new: 10", "size: setting, old: 10, new: 110",
        "size: setting, old: 110, new: 111", "size: setting, old: 111, new: 211",
        "size: setting, old: 211, new: 120", "size: setting, old: 120, new: 220",
      ])
    #expect(isIdle(wheels[1]) && !isIdle(wheels[0]))
    token.invalidate()
    #expect(isIdle(cart, wheels[0], wheels[1]))
  }

  @Test("P2 Objects that alternate at the front attach and detach what is behind them")
  func takingTurnsAtTheFront() {
    let axles = [Axle(wheels[0]), Axle(wheels[1])]
    let cart = Cart(axles[0])
    let token = observe(cart)
    cart.axle = axles[1]
    axles[0].wheel = wheels[2]
    wheels[0].size = 5
    axles[1].wheel = wheels[3]
    wheels[1].size = 6
    wheels[3].size = 7
    cart.axle = axles[0]
    wheels[2].size = 8
    #expect(
      log.take() == [
        "size: setting, old: 0, new: 1", "size: setting, old: 1, new: 3",
        "size: setting, old: 3, new: 7", "size: setting, old: 7, new: 2",
        "size: setting, old: 2, new: 8",
      ])
    token.invalidate()
    #expect(isIdle(cart, axles[0], axles[1]) && wheels.allSatisfy { isIdle($0) })
  }

  @Test("P2 An object may become nil and return, in the middle and at the end")
  func nilAndBack() {
    let axle = Axle(wheels[0])
    let cart = Cart(axle)
    let token = observe(cart)
    axle.wheel = nil
    wheels[0].size = 9
    cart.axle = nil
    axle.wheel = wheels[1]
    cart.axle = axle
    wheels[1].size = 4
    cart.axle = Axle(nil)
    cart.axle = axle
    #expect(
      log.take() == [
        "size: setting, old: 0, new: nil", "size: setting, old: nil, new: nil",
        "size: setting, old: nil, new: 1", "size: setting, old: 1, new: 4",
        "size: setting, old: 4, new: nil", "size: setting, old: nil, new: 4",
      ])
    token.invalidate()
    #expect(isIdle(cart, axle, wheels[0], wheels[1]))
  }

  @Test("P2 An object of a subclass is followed when it joins the path")
  func subclass() throws {
    let spare = SpareWheel(spare: 7)
    let axle = Axle(wheels[1])
    let cart = Cart(axle)
    let token = observe(cart)
    let untyped = try cart.kvo("axle.wheel.size").observe(options: [.old, .new]) {
      [log] _, change in
      log.note("untyped", change)
    }
    axle.wheel = spare
    spare.size = 8
    axle.wheel = wheels[1]
    spare.size = 9
    wheels[1].size = 2
    #expect(
      log.take() == [
        "size: setting, old: 1, new: 7", "untyped: setting, old: 1, new: 7",
        "size: setting, old: 7, new: 8", "untyped: setting, old: 7, new: 8",
        "size: setting, old: 8, new: 1", "untyped: setting, old: 8, new: 1",
        "size: setting, old: 1, new: 2", "untyped: setting, old: 1, new: 2",
      ])
    token.invalidate()
    untyped.invalidate()
    #expect(isIdle(cart, axle, spare, wheels[1]))
  }

  @Test("P2 Two objects that share the object behind them may alternate")
  func sharedEnd() {
    let axles = [Axle(wheels[0]), Axle(wheels[0])]
    let cart = Cart(axles[0])
    let token = observe(cart)
    cart.axle = axles[1]
    wheels[0].size = 1
    axles[0].wheel = nil
    axles[1].wheel = wheels[0]
    wheels[0].size = 2
    #expect(
      log.take() == [
        "size: setting, old: 0, new: 0", "size: setting, old: 0, new: 1",
        "size: setting, old: 1, new: 1", "size: setting, old: 1, new: 2",
      ])
    token.invalidate()
    #expect(isIdle(cart, axles[0], axles[1], wheels[0]))
  }

  @Test("P2 An object that dies when it is replaced leaves nothing behind")
  func diesByReplacement() {
    let tracker = LifetimeTracker()
    let cart = Cart(Axle(Wheel(1)))
    let witness = tracker.instance()
    let token = cart.observe(\.axle.wheel.size, options: [.old, .new]) { [log] _, change in
      withExtendedLifetime(witness) { log.note("size", change) }
    }
    weak let former = cart.axle?.wheel
    cart.axle?.wheel = Wheel(2)
    #expect(former == nil)
    cart.axle?.wheel?.size = 3
    weak let axle = cart.axle
    cart.axle = Axle(Wheel(4))
    #expect(axle == nil)
    cart.axle?.wheel?.size = 5
    #expect(
      log.take() == [
        "size: setting, old: 1, new: 2", "size: setting, old: 2, new: 3",
        "size: setting, old: 3, new: 4", "size: setting, old: 4, new: 5",
      ])
    token.invalidate()
    #expect(isIdle(cart))
  }

  // MARK: Cycles

  @Test("P2 An object that is already on the path is followed at each of its positions")
  func cycle() {
    let tail = ChainLink("tail")
    let middle = ChainLink("middle", next: tail)
    let first = ChainLink("first", next: middle)
    let token = first.observe(
      \.next.next.name, options: [.old, .new], changeHandler: log.handler("name"))
    first.next = first
    first.name = "self"
    middle.name = "unheard"
    first.next = middle
    middle.next = first
    first.name = "again"
    middle.next = tail
    tail.name = "end"
    #expect(
      log.take() == [
        "name: setting, old: \"tail\", new: \"first\"",
        "name: setting, old: \"first\", new: \"self\"",
        "name: setting, old: \"self\", new: \"tail\"",
        "name: setting, old: \"tail\", new: \"self\"",
        "name: setting, old: \"self\", new: \"again\"",
        "name: setting, old: \"again\", new: \"tail\"",
        "name: setting, old: \"tail\", new: \"end\"",
      ])
    first.next = nil
    token.invalidate()
    middle.next = nil
    #expect(isIdle(first, middle, tail))
  }

  // MARK: Callbacks

  @Test(
    "N7 P2 An observation that ends in its own prior or post of a replacement detaches everything")
  func endsInCallback() {
    for endsInPrior in [true, false] {
      let cart = Cart(Axle(wheels[0]))
      var token: KeyValueObservation?
      token = cart.observe(\.axle.wheel.size, options: [.old, .new, .prior]) { [log] _, change in
        log.note("size", change)
        if change.isPrior == endsInPrior { token?.invalidate() }
      }
      let other = observe(cart)
      cart.axle?.wheel = wheels[1]
      cart.axle?.wheel = wheels[0]
      other.invalidate()
      #expect(isIdle(cart, wheels[0], wheels[1]))
      let own = "size: setting, old: 0, prior"
      let post = endsInPrior ? [] : ["size: setting, old: 0, new: 1"]
      #expect(
        log.take() == [own] + post + [
          "size: setting, old: 0, new: 1", "size: setting, old: 1, new: 0",
        ])
    }
  }

  @Test("N8 P2 A replacement made in a replacement's callback is followed")
  func replacesInCallback() {
    let axle = Axle(wheels[0])
    let cart = Cart(axle)
    var rest = [wheels[2], wheels[3]]
    let token = cart.observe(\.axle.wheel.size, options: [.old, .new]) { [log] _, change in
      log.note("size", change)
      if !rest.isEmpty { axle.wheel = rest.removeFirst() }
    }
    axle.wheel = wheels[1]
    for wheel in wheels { wheel.size += 10 }
    #expect(
      log.take() == [
        "size: setting, old: 0, new: 1", "size: setting, old: 1, new: 2",
        "size: setting, old: 2, new: 3", "size: setting, old: 3, new: 13",
      ])
    token.invalidate()
    #expect(isIdle(cart, axle) && wheels.allSatisfy { isIdle($0) })
  }

  @Test("P2 A replacement made during the replaced object's own change follows the new objects")
  func replacedInsideAChange() {
    let axles = [Axle(wheels[0]), Axle(wheels[1])]
    let cart = Cart(axles[0])
    let token = observe(cart)
    axles[0].withChange(of: "wheel") {
      cart.axle = axles[1]
      axles[1].wheel = wheels[2]
    }
    _ = log.take()
    axles[0].wheel = wheels[3]
    wheels[0].size = 8
    wheels[3].size = 9
    #expect(log.take() == [])
    wheels[2].size = 10
    axles[1].wheel = wheels[1]
    #expect(
      log.take() == ["size: setting, old: 2, new: 10", "size: setting, old: 10, new: 1"])
    token.invalidate()
    #expect(isIdle(cart, axles[0], axles[1]) && wheels.allSatisfy { isIdle($0) })
  }

  // MARK: After the objects

  @Test("D1 P2 A dependent key at the end of the path follows objects that alternate")
  func dependentEnd() {
    let axles = [Axle(wheels[0]), Axle(wheels[1])]
    let cart = Cart(axles[0])
    let token = cart.observe(
      \.axle.wheel.label, options: [.old, .new], changeHandler: log.handler("label"))
    cart.axle = axles[1]
    wheels[0].size = 5
    wheels[1].size = 6
    axles[1].wheel = wheels[2]
    wheels[2].size = 7
    #expect(
      log.take() == [
        "label: setting, old: \"wheel 0\", new: \"wheel 1\"",
        "label: setting, old: \"wheel 1\", new: \"wheel 6\"",
        "label: setting, old: \"wheel 6\", new: \"wheel 2\"",
        "label: setting, old: \"wheel 2\", new: \"wheel 7\"",
      ])
    token.invalidate()
    #expect(isIdle(cart, axles[0], axles[1]) && wheels.allSatisfy { isIdle($0) })
  }

  @Test("P7 A sum after objects that alternate is the sum for the current object")
  func sumBehind() throws {
    let axles = [Axle(nil), Axle(nil)]
    axles[0].wheels = [wheels[1], wheels[2], wheels[1]]
    axles[1].wheels = [wheels[3], wheels[2]]
    let cart = Cart(axles[0])
    let token = try cart.kvo("axle.wheels.@sum.size").observe(options: .new) { [log] _, change in
      log.note("sum", change)
    }
    cart.axle = axles[1]
    wheels[1].size = 50
    wheels[2].size = 20
    axles[1].wheels.append(wheels[1])
    wheels[1].size = 1
    cart.axle = axles[0]
    wheels[3].size = 30
    wheels[1].size = 2
    #expect(
      log.take() == [
        "sum: setting, new: 5", "sum: setting, new: 23", "sum: setting, new: 73",
        "sum: setting, new: 24", "sum: setting, new: 22", "sum: setting, new: 24",
      ])
    token.invalidate()
    #expect(isIdle(cart, axles[0], axles[1]) && wheels.allSatisfy { isIdle($0) })
  }

  @Test(
    "P2 An observation doesn't retain its object, and its token returns the object while it lives")
  func observedObjectDies() {
    let (axle, wheel) = (Axle(nil), wheels[0])
    axle.wheel = wheel
    var cart: Cart? = Cart(axle)
    let path = cart?.observe(\.axle.wheel.size) { _, _ in }
    let own = wheel.observe(\.label) { _, _ in }
    #expect(path?.object === cart && own.object === wheel)
    cart = nil
    #expect(path?.object == nil && path?.isValid == false)
    #expect(isIdle(axle))
    own.invalidate()
    #expect(own.object == nil && isIdle(wheel))
  }
}
