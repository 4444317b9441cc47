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
