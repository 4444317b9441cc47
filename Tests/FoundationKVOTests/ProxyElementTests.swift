import FoundationKVO
import Testing

/// To-many keys whose elements are numbers or may be nil, in Swift's collections and in Foundation's.
@KeyValueObservable
private final class Scores: NSObject {
  dynamic var points: Set<Int> = []
  dynamic var weights: Set<Double> = []
  dynamic var boxes = NSSet()
  dynamic var missing: NSSet?
  dynamic var list: [Int] = []
  dynamic var notes: [String?] = []
  dynamic var days: Set<Date> = []
  dynamic var links: [URL] = []
  dynamic var dates: Set<NSDateComponents> = []
  dynamic var ranks: Set<Int?> = [1, nil]
}

@KeyValueObservable
private final class Season: NSObject {
  dynamic var scores = Scores()
}

private final class Unhashable {}

@Suite("FoundationKVO: numbers and NSNull in live collections")
struct ProxyElementTests {
  private let witness = Witness()

  @Test(
    "numbers, boxed or not, are found in every kind of set",
    arguments: ["points", "weights", "boxes", "missing"])
  func numbersInSets(key: String) {
    let scores = Scores()
    scores.watch([key], witness)
    let set = scores.mutableSetValue(forKey: key)
    set.union([1, 2, 3])
    set.minus([1])
    set.add(1)
    set.remove(NSNumber(value: 1))
    set.intersect([NSNumber(value: 2)])
    set.setSet([3])
    #expect(
      witness.take() == [
        "\(key): insertion, new {1 2 3}", "\(key): removal, old {1}", "\(key): insertion, new {1}",
        "\(key): removal, old {1}", "\(key): removal, old {3}",
        "\(key): replacement, old {2}, new {3}",
      ])
    #expect(set.contains(3))
    #expect(set.contains(NSNumber(value: 3)))
    #expect(!set.contains(2))
    #expect(scores.value(forKey: key) as? NSSet == NSSet(array: [3]))
    scores.unwatch([key], witness)
  }

  @Test(
    "what a set can't hold is left out where elements are removed",
    arguments: ["points", "boxes"])
  func unfitElements(key: String) {
    let scores = Scores()
    let set = scores.mutableSetValue(forKey: key)
    set.union([1, 2, 3])
    scores.watch([key], witness)
    set.remove("one")
    set.remove(NSNull())
    set.remove(Unhashable())
    set.minus(["one", NSNull(), 1])
    set.intersect(["two", NSNull(), 2])
    scores.unwatch([key], witness)
    #expect(
      witness.take() == [
        "\(key): removal, old {}", "\(key): removal, old {}", "\(key): removal, old {}",
        "\(key): removal, old {1}", "\(key): removal, old {3}",
      ])
    #expect(scores.value(forKey: key) as? NSSet == NSSet(array: [2]))
  }

  @Test("nil and NSNull are one element of a set whose elements are optional")
  func nilInSets() {
    let season = Season()
    let sets = [
      season.scores.mutableSetValue(forKey: "ranks"),
      season.mutableSetValue(forKeyPath: "scores.ranks"),
    ]
    let nils: [Any] = [NSNull(), nil as Int? as Any]
    for set in sets {
      for null in nils {
        #expect(set.contains(null))
        set.remove(null)
        #expect(season.scores.ranks == [1] && !set.contains(null))
        set.add(null)
        #expect(season.scores.ranks == [1, nil])
      }
      set.intersect([NSNull()])
      #expect(season.scores.ranks == [nil] as Set<Int?>)
      set.minus([NSNull()])
      #expect(season.scores.ranks.isEmpty)
      set.setSet([1, NSNull()])
      #expect(season.scores.ranks == [1, nil])
    }
  }

  @Test("neither is an element of another set")
  func nilInOtherSets() async {
    let set = Scores().mutableSetValue(forKey: "points")
    #expect(!set.contains(NSNull()) && !set.contains(nil as Int? as Any))
    await #expect(processExitsWith: .success) {
      expectReason("declare the key as a Set of optional elements.") {
        Scores().mutableSetValue(forKey: "points").add(NSNull())
      }
    }
    await #expect(processExitsWith: .success) {
      expectReason("declare the key as a Set of optional elements.") {
        Scores().mutableSetValue(forKey: "points").add(nil as Int? as Any)
      }
    }
    await #expect(processExitsWith: .success) {
      expectReason("declare the key as a Set of optional elements.") {
        Scores().mutableSetValue(forKey: "boxes").add(NSNull())
      }
    }
  }

  @Test("numbers, boxed or not, are found in arrays")
  func numbersInArrays() {
    let scores = Scores()
    let list = scores.mutableArrayValue(forKey: "list")
    list.addObjects(from: [1, 2, 3, 4, 5])
    list.removeObjects(in: [3, NSNumber(value: 5)])
    list.remove(NSNumber(value: 1))
    #expect(scores.list == [2, 4])
    #expect(list.index(of: 4) == 1)
    #expect(list.contains(NSNumber(value: 2)))
  }

  @Test("a date and a URL are found by the object that Foundation has for them")
  func objectsOfValues() throws {
    let scores = Scores()
    let (day, other) = (Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 6))
    let link = try #require(URL(string: "https://example.com/a"))
    scores.watch(["days", "links"], witness)
    let days = scores.mutableSetValue(forKey: "days")
    days.add(day)
    days.add(day as NSDate)
    #expect(scores.days == [day])
    #expect(days.contains(day as NSDate) && !days.contains(other as NSDate))
    #expect(days.isEqual(to: [day as NSDate]))
    days.remove(day as NSDate)
    let links = scores.mutableArrayValue(forKey: "links")
    links.add(link)
    #expect(links.index(of: link as NSURL) == 0)
    links.remove(link as NSURL)
    scores.unwatch(["days", "links"], witness)
    #expect(
      witness.take() == [
        "days: insertion, new {\(day)}", "days: insertion, new {}",
        "days: removal, old {\(day)}", "links: insertion, at 0, new (\(link))",
        "links: removal, at 0, old (\(link))",
      ])
  }

  @Test("a set keeps the objects that Foundation has for values, and finds them by their values")
  func keptObjects() {
    let scores = Scores()
    let (first, second) = (NSDateComponents(), NSDateComponents())
    (first.day, second.day) = (1, 2)
    let objects = scores.mutableSetValue(forKey: "missing")
    objects.add(first)
    objects.add(second)
    objects.add(DateComponents(day: 1))
    objects.remove(DateComponents(day: 2))
    #expect(scores.missing?.count == 1)
    #expect(scores.missing?.member(first) as? NSDateComponents === first)
    let dates = scores.mutableSetValue(forKey: "dates")
    dates.add(first)
    dates.add(second)
    dates.remove(second)
    #expect(scores.dates.count == 1 && scores.dates.first === first)
  }

  @Test("an array proxy compares numbers, looks in ranges, and holds NSNull for nil")
  func searching() {
    let scores = Scores()
    scores.list = [1, 2, 3, 2]
    let proxy = scores.mutableArrayValue(forKey: "list")
    #expect(proxy.isEqual(to: [1, 2, 3, 2]))
    #expect(proxy.index(of: 2, in: NSRange(location: 2, length: 2)) == 3)
    #expect(proxy.index(of: 1, in: NSRange(location: 2, length: 2)) == NSNotFound)
    #expect(proxy.firstObjectCommon(with: [3, 2]) as? Int == 2)
    #expect(proxy.subarray(with: NSRange(location: 1, length: 2)) as? [Int] == [2, 3])
    let notes = scores.mutableArrayValue(forKey: "notes")
    notes.addObjects(from: ["a", NSNull()])
    #expect(scores.notes == ["a", nil])
    #expect(notes.index(of: NSNull()) == 1)
    notes.remove(NSNull())
    #expect(scores.notes == ["a"])
  }
}
