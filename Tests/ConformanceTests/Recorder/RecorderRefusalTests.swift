import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U What a recorder says of a key that it can't record")
struct RecorderRefusalTests {
  private let recorder = KeyValueChangeRecorder()

  private func refusal(_ keyPath: String) -> String {
    message { try recorder.record(Stall(), keyPath) }
  }

  @Test("A computed key's refusal names the recordable keys that it depends on")
  func computed() {
    let advice = ", or everything with record(graph:)."
    #expect(
      ["total", "rest", "size", "label", "corner"].map(refusal) == [
        "Stall.total can be read but not set: it is computed. Record what it depends on: 'goods', "
          + "'goods.price', 'goods.count'" + advice,
        "Stall.rest can be read but not set: it is computed. Record what it depends on: 'limit', "
          + "'goods', 'goods.price', 'goods.count'" + advice,
        "Stall.size can be read but not set: it is computed. Record what it depends on: 'goods'"
          + advice,
        "Stall.label can be read but not set: it is computed. Record what it depends on: "
          + "'owner.name'" + advice,
        "Stall.corner can be read but not set: it is computed. Record what it depends on: 'place'"
          + advice,
      ])
  }

  @Test("The advice can be followed")
  func followed() throws {
    let stall = Stall()
    let good = Good()
    try recorder.record(stall, "goods", "goods.price", "goods.count")
    stall.goods = [good]
    good.price = 5
    good.count = 3
    #expect(stall.total == 15)
    try recorder.undo()
    try recorder.undo()
    #expect(stall.total == 2)
    try recorder.undo()
    #expect(stall.total == 0)
  }

  @Test("A refusal names no keys if one of them can't be recorded, or isn't known")
  func unknown() {
    #expect(
      ["sales", "dearestPrice", "ping", "clock"].map(refusal)
        == ["sales", "dearestPrice", "ping", "clock"].map {
          "Stall.\($0) can be read but not set: it is computed. Record what it depends on, its stored "
            + "keys, or everything with record(graph:)."
        })
  }

  @Test("An element's computed key is refused with the element's keys")
  func element() {
    let stall = Stall()
    stall.goods = [Good()]
    let expected =
      "Good.value can be read but not set: it is computed. Record what it depends on: 'price', "
      + "'count', or everything with record(graph:)."
    #expect(message { try recorder.record(stall.kvo.goods[each: \.value]) } == expected)
    #expect(message { try recorder.record(stall.goods[0].kvo.value) } == expected)
  }

  @Test("A constant's refusal says that it never changes")
  func constant() {
    #expect(
      refusal("owner")
        == "Stall.owner can be read but not set: it is declared with let, so there is nothing to "
        + "undo.")
  }
}

@KeyValueObservable
private final class Good {
  var price = 2
  var count = 1
  var value: Int { price * count }
}

@KeyValueObservable
private final class Owner {
  var name = "Ada"
}

private struct Place { var x = 0 }

@KeyValueObservable
private final class Stall {
  let owner = Owner()
  var goods: [Good] = []
  var limit = 100
  var place = Place()
  private(set) var sold = 0
  var total: Int { goods.reduce(0) { $0 + $1.value } }
  var rest: Int { limit - total }
  @DependsOn("goods.@count") var size: Int { goods.count }
  var label: String { owner.name }
  var corner: Int { place.x }
  var sales: Int { sold + limit }
  var dearest: Good? { goods.max { $0.price < $1.price } }
  var dearestPrice: Int { dearest?.price ?? 0 }
  @DependsOn("pong") var ping: Int { 1 }
  @DependsOn("ping") var pong: Int { 1 }
  @DependsOn() var clock: Int { 1 }
}
