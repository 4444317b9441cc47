import KeyValueObserving
import Testing

@Suite("C4 Reading the proxy of a computed array")
struct ComputedProxyTests {
  @Test("C4 Going through the proxy reads a getter a few times, not three times for each element")
  func reads() {
    let catalogue = Inventory()
    let proxy = catalogue.mutableArrayValue(for: \.listed)
    func reads(_ body: () -> Void) -> Int {
      catalogue.reads = 0
      body()
      return catalogue.reads
    }
    #expect(reads { _ = Array(proxy) } < 10)
    #expect(reads { for element in proxy { _ = element } } < 10)
    #expect(reads { proxy.sort(by: >) } < 20)
    #expect(reads { proxy.removeAll { $0 == 7 } } < 20)
  }

  @Test("C4 Going through the proxy of accessor methods asks for no more than is looked at")
  func accessors() throws {
    let loading = LoadingInventory()
    let proxy = try loading.mutableArrayValue(forKey: "items")
    #expect(proxy.contains { $0 as? Int == 3 })
    #expect(loading.reads == 4)
  }
}

/// Makes its elements as they're asked for.
@KeyValueObservable
private final class LoadingInventory {
  @KeyValueIgnored var reads = 0

  func countOfItems() -> Int { 100 }

  func objectInItems(at index: Int) -> Int {
    reads += 1
    return index
  }

  func insertObject(_ item: Int, inItemsAt index: Int) {}

  func removeObject(fromItemsAt index: Int) {}
}

@KeyValueObservable
private final class Inventory {
  @KeyValueIgnored var reads = 0
  var entries = Array(0..<200)
  var listed: [Int] {
    get {
      reads += 1
      return entries.reversed()
    }
    set { entries = newValue.reversed() }
  }
}
