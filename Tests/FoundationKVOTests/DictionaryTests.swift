import FoundationKVO
import Testing

private enum Level: Int { case low, high }

@KeyValueObservable
private final class Stock: NSObject {
  dynamic var counts: [String: Int] = [:]
  dynamic var weights: [String: Double] = [:]
  dynamic var levels: [String: Level] = [:]
  dynamic var optional: [String: Double]?
  dynamic var spare: [String: Int?] = [:]
  dynamic var codes: [Int: String] = [:]
  dynamic var nested: [String: [Double]] = [:]
  dynamic var tree: [String: [String: Level]] = [:]
  dynamic var anything: [String: Any] = [:]
  dynamic var foundation = NSDictionary()
  dynamic var array: [Int?] = []
  dynamic var set: Set<Int?> = []
}

@Suite("FoundationKVO: dictionaries set by key")
struct DictionaryTests {
  private let stock = Stock()

  @Test("K2 keys and values of a dictionary are converted as elements of an array are")
  func converted() {
    stock.setValue(["a": NSNumber(value: 1), "b": NSNumber(value: 2)], forKey: "counts")
    #expect(stock.counts == ["a": 1, "b": 2])
    stock.setValue(["a": 3.0], forKey: "counts")
    #expect(stock.counts == ["a": 3])
    stock.setValue(["a": 1, "b": 2], forKey: "weights")
    #expect(stock.weights == ["a": 1, "b": 2])
    stock.setValue(NSDictionary(dictionary: ["a": 1.5]), forKey: "weights")
    #expect(stock.weights == ["a": 1.5])
    stock.setValue(["a": 1], forKey: "levels")
    #expect(stock.levels == ["a": .high])
    stock.setValue(["a": 4], forKey: "optional")
    #expect(stock.optional == ["a": 4])
    stock.setValue(nil, forKey: "optional")
    #expect(stock.optional == nil)
    stock.setValue([NSNumber(value: 1): "one", 2.0: "two"], forKey: "codes")
    #expect(stock.codes == [1: "one", 2: "two"])
    stock.setValue(["a": [1, 2]], forKey: "nested")
    #expect(stock.nested == ["a": [1, 2]])
    stock.setValue(["a": ["b": 0]], forKey: "tree")
    #expect(stock.tree == ["a": ["b": .low]])
    stock.setValue(["a": 1], forKey: "anything")
    #expect(stock.anything["a"] as? Int == 1)
    stock.setValue(["a": 1], forKey: "foundation")
    #expect(stock.foundation == NSDictionary(dictionary: ["a": 1]))
  }

  @Test("K6 behind an @ a path reads a dictionary's own keys")
  func ownKeys() {
    stock.counts = ["@count": 7, "a": 1]
    stock.foundation = NSDictionary(dictionary: ["a": 1, "b": 2, "c": 3])
    stock.optional = ["a": 1]
    stock.codes = [1: "one"]
    stock.anything = ["inner": NSMutableDictionary(dictionary: ["x": 1, "y": 2])]
    #expect(stock.value(forKeyPath: "counts.@count") as? Int == 2)
    #expect(stock.value(forKeyPath: "foundation.@count") as? Int == 3)
    #expect(stock.value(forKeyPath: "optional.@count") as? Int == 1)
    #expect(stock.value(forKeyPath: "codes.@count") as? Int == 1)
    #expect(stock.value(forKeyPath: "anything.inner.@count") as? Int == 2)
    #expect(stock.value(forKeyPath: "optional.@allKeys") as? [String] == ["a"])
    #expect(stock.value(forKeyPath: "optional.@allValues") as? [Int] == [1])
    #expect(stock.value(forKeyPath: "foundation.@allKeys.@count") as? Int == 3)
    #expect(stock.foundation.value(forKey: "@allValues") as? NSArray != nil)
    #expect(stock.foundation.value(forKeyPath: "@count") as? Int == 3)
    stock.optional = nil
    #expect(stock.value(forKeyPath: "optional.@count") == nil)
  }

  @Test("K2 NSNull is nil in collections of optional elements")
  func null() {
    stock.setValue(["a": NSNull(), "b": 1], forKey: "spare")
    #expect(stock.spare == ["a": nil, "b": 1] as [String: Int?])
    stock.setValue(NSDictionary(dictionary: ["a": NSNull()]), forKey: "spare")
    #expect(stock.spare == ["a": nil] as [String: Int?])
    #expect(stock.value(forKey: "spare") as? NSDictionary == ["a": NSNull()])
    for list in [[1, NSNull()], NSArray(array: [1, NSNull()])] as [Any] {
      stock.setValue(list, forKey: "array")
      #expect(stock.array == [1, nil])
    }
    #expect(stock.value(forKey: "array") as? NSArray == [1, NSNull()])
    for list in [Set([1, NSNull()] as [AnyHashable]), NSSet(array: [1, NSNull()])] as [Any] {
      stock.setValue(list, forKey: "set")
      #expect(stock.set == [1, nil])
    }
    #expect((stock.value(forKey: "set") as? NSSet)?.count == 2)
  }
}
