import FoundationKVO
import Testing

@KeyValueObservable
private class Shelf: NSObject {
  dynamic var name = ""
  dynamic var books: NSArray = []
  dynamic var labels = NSMutableSet()
  dynamic var order = NSMutableOrderedSet()
  dynamic var entries: NSDictionary = [:]
  dynamic var above: Shelf?
  private dynamic var secret = 1
  let plain = 2

  func validateName(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
}

@Suite("FoundationKVO: keys as data")
struct KeysAsDataTests {
  @Test("K8 keys are described with Foundation's types, and private ones as Cocoa reaches them")
  func described() {
    #expect(
      Shelf.keyValueProperties.map(\.description) == [
        "description: String, computed", "debugDescription: String, computed",
        "hash: Int, computed",
        "observationInfo: Optional<UnsafeMutableRawPointer>, computed, settable",
        "name: String, settable, validated",
        "books: NSArray, ordered to-many, settable",
        "labels: NSMutableSet, unordered to-many, settable",
        "order: NSMutableOrderedSet, ordered to-many, settable",
        "entries: NSDictionary, settable",
        "above: Optional<Shelf>, to-one, settable",
        "secret: Int, settable",
        "plain: Int",
      ])
    #expect(Shelf.keyValueProperties.map(\.name) == Shelf.keyValueKeys)
  }

  @Test("K8 the classes that announce their keys themselves are described too")
  func ownClasses() {
    let progress = Progress.keyValueProperties
    #expect(progress.map(\.name) == Progress.keyValueKeys)
    #expect(
      progress.first { $0.name == "completedUnitCount" }?.description
        == "completedUnitCount: Int64, computed, settable")
    #expect(
      progress.first { $0.name == "fractionCompleted" }?.isComputed == true)
    let operation = Operation.keyValueProperties
    #expect(operation.map(\.name) == Operation.keyValueKeys)
    #expect(operation.first { $0.name == "isReady" }?.isSettable == false)
  }
}
