import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Operators and collection reads that use the property's typed getter.
@Suite("K. Key-value coding: reading many objects with the typed getter")
struct TypedOperatorTests {
  private let shop = Shop()

  private func value(_ keyPath: String) throws -> String {
    described(try shop.value(forKeyPath: keyPath))
  }

  @Test("K6 the getter is looked up again when the class changes, and values keep their order")
  func classes() throws {
    shop.goods = [Goods(3), DearGoods(4), Goods(1), OddGoods(9), DearGoods(2)]
    #expect(try value("goods.price") == "[3, 14, 1, \"odd\", 12]")
    #expect(try value("goods.@unionOfObjects.weight") == "[0.3, 0.4, 0.1, 7, 0.2]")
    #expect(try value("goods.@sum.weight") == "8.0")
    #expect(try value("goods.@max.weight") == "7")
    #expect(try value("goods.@min.weight") == "0.1")
    #expect(
      message { _ = try value("goods.@sum.price") }
        == "'@sum' (component 2 of 'goods.@sum.price') found \"odd\" of type String, which is no "
        + "number.")
    #expect(
      message { _ = try value("goods.@max.price") }
        == "'@max' (component 2 of 'goods.@max.price') cannot compare \"odd\" and 14.")
    #expect(
      message { _ = try value("goods.@sum.discount") }
        == "Goods has no key 'discount' (component 3 of 'goods.@sum.discount').")
  }

  @Test("K6 sums of typed numbers are exact, and a sum that is too large is an error")
  func exactSums() throws {
    shop.goods = [Int.max, 1, Int.min, 5].map { Goods($0) }
    #expect(try value("goods.@sum.price") == "5")
    shop.goods = [Int.max, 1].map { Goods($0) }
    #expect(try shop.value(forKeyPath: "goods.@sum.price") as? UInt64 == UInt64(Int.max) + 1)
    shop.goods = [Int.max, Int.max, Int.max].map { Goods($0) }
    #expect(try shop.value(forKeyPath: "goods.@avg.price") as? Double == Double(Int.max))
    #expect(
      message { _ = try value("goods.@sum.price") }
        == "'@sum' (component 2 of 'goods.@sum.price') exceeds what an Int or a UInt64 holds. Let the "
        + "elements have a Double.")
    shop.goods = (0..<1_000).map { _ in Goods(1) }
    shop.goods[0].weight = 1e16
    shop.goods[999].weight = -1e16
    // 998 times the Double 0.1, which is larger than a tenth: 99.80000000000000554, rounded once.
    // Rounding after each addition gives 0.0, because 1e16 absorbs 0.1.
    #expect(try value("goods.@sum.weight") == "99.80000000000001")
    #expect(try value("goods.@sum.price") == "1000")
  }

  @Test("K6 NaN makes a sum NaN; @min and @max skip it, and return the first of equal values")
  func notANumber() throws {
    shop.goods = [Goods(1), Goods(2), Goods(3)]
    shop.goods[0].weight = .nan
    #expect(try (shop.value(forKeyPath: "goods.@sum.weight") as? Double)?.isNaN == true)
    #expect(try value("goods.@max.weight") == "0.3")
    #expect(try value("goods.@min.weight") == "0.2")
    shop.goods[0].weight = 0
    shop.goods[1].weight = -0.0
    shop.goods[2].weight = 0
    #expect(try (shop.value(forKeyPath: "goods.@max.weight") as? Double)?.sign == .plus)
    shop.goods.remove(at: 0)
    #expect(try (shop.value(forKeyPath: "goods.@max.weight") as? Double)?.sign == .minus)
    shop.goods.forEach { $0.weight = .infinity }
    #expect(try shop.value(forKeyPath: "goods.@avg.weight") as? Double == .infinity)
  }

  @Test("K6 nil is 0, skipped or kept, and an extremum keeps the property's own type")
  func optionalAndOtherTypes() throws {
    shop.goods = [1, 2, 3].map { Goods($0) }
    shop.goods[1].rebate = 5
    shop.goods[2].rebate = 4
    #expect(try value("goods.rebate") == "[nil, 5, 4]")
    #expect(try value("goods.@sum.rebate") == "9")
    #expect(try value("goods.@avg.rebate") == "3.0")
    #expect(try value("goods.@min.rebate") == "4")
    #expect(try shop.value(forKeyPath: "goods.@max.size") as? UInt8 == 3)
    #expect(try shop.value(forKeyPath: "goods.@sum.size") as? Int == 6)
    #expect(try value("goods.@max.label") == "\"no. 3\"")
    #expect(try value("goods.@min.day") == described(Date(timeIntervalSince1970: 1)))
    shop.places = [shop.goods[0], nil, shop.goods[2]]
    #expect(try value("places.@sum.price") == "4")
    #expect(try value("places.price") == "[1, nil, 3]")
    shop.mixed = [shop.goods[0], ["price": 10], shop.goods[2]]
    #expect(try value("mixed.@sum.price") == "14")
  }

  @Test("K2 a value of exactly the property's type notifies once or is refused, as any other")
  func exactTypes() throws {
    let goods = Goods(1)
    let log = ChangeLog()
    let tokens = [
      try goods.observe("price", options: [.old, .new], changeHandler: log.handler("price")),
      try goods.observe("label", options: [.old, .new], changeHandler: log.handler("label")),
      try goods.observe("note", options: [.old, .new], changeHandler: log.handler("note")),
    ]
    try goods.setValue(2, forKey: "price")
    try goods.setValue("b", forKey: "label")
    try goods.setValue("c", forKey: "note")
    try goods.setValue(Optional("d") as Any, forKey: "label")
    #expect(
      log.take() == [
        "price: setting, old: 1, new: 2",
        "label: setting, old: \"no. 1\", new: \"b\"",
        "note: setting, old: \"\", new: \"c\"",
        "label: setting, old: \"b\", new: \"d\"",
      ])
    #expect(throws: KeyValueCodingError.self) { try goods.setValue(3, forKey: "sealed") }
    #expect(throws: KeyValueCodingError.self) {
      try goods.setValue(Int?.none as Any, forKey: "price")
    }
    #expect(goods.sealed == 1)
    #expect(log.take() == [])
    tokens.forEach { $0.invalidate() }
  }
}

@KeyValueObservable
private class Goods {
  var price: Int
  var weight: Double
  var size: UInt8
  var label: String
  var day: Date
  var rebate: Int?
  private(set) var sealed = 1
  @KeyValueIgnored var kept = ""
  /// Depends on nothing that notifies, so setting it by key notifies.
  @DependsOn() var note: String {
    get { kept }
    set { kept = newValue }
  }

  init(_ number: Int) {
    price = number
    weight = Double(number) / 10
    size = UInt8(truncatingIfNeeded: number)
    label = "no. \(number)"
    day = Date(timeIntervalSince1970: Double(number))
  }
}

@KeyValueObservable
private final class DearGoods: Goods {
  override var price: Int {
    get { super.price + 10 }
    set { super.price = newValue }
  }
}

@KeyValueObservable
private final class OddGoods: Goods {
  func value(forKey key: String) throws -> Any? {
    switch key {
    case "price": "odd"
    case "weight": 7
    default: try (self as any KeyValueObservable).value(forKey: key)
    }
  }
}

@KeyValueObservable
private final class Shop {
  var goods: [Goods] = []
  var places: [Goods?] = []
  var mixed: [Any] = []

  init() {}
}
