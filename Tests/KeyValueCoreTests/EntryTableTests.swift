import KeyValueObserving
import Testing

@testable import KeyValueCore

@KeyValueObservable
private final class Thing {
  var count = 0
}

@Suite("EntryTable")
struct EntryTableTests {
  @Test("Random insertions and removals leave what a dictionary has, by object and by id")
  func agreement() throws {
    let type = try LoggedClass(KeyValueSchema.schema(of: Thing.self))
    var generator = SystemRandomNumberGenerator()
    let byObject = EntryTable<ObjectIdentifier>()
    let byID = EntryTable<KeyValueObjectID>()
    var expected: [KeyValueObjectID: LogGraph.Entry] = [:]
    for _ in 0..<20_000 {
      if Int.random(in: 0..<100, using: &generator) < 52 || expected.isEmpty {
        let entry = LogGraph.Entry(KeyValueObjectID(), Thing(), type)
        expected[entry.id] = entry
        byObject.insert(entry)
        byID.insert(entry)
      } else if let entry = expected.values.first {
        expected[entry.id] = nil
        byObject.remove(entry.identity)
        byID.remove(entry.id)
        #expect(byObject[entry.identity] == nil && byID[entry.id] == nil)
      }
    }
    #expect(byObject.count == expected.count && byID.count == expected.count)
    for entry in expected.values {
      #expect(byObject[entry.identity] === entry && byID[entry.id] === entry)
    }
    #expect(Set(byID.values.map(\.id)) == Set(expected.keys))
    #expect(Set(byObject.values.map(\.id)) == Set(expected.keys))
  }

  @Test("A removal from a row of entries that begins at the table's end leaves no gap in it")
  func wrapping() throws {
    let type = try LoggedClass(KeyValueSchema.schema(of: Thing.self))
    let table = EntryTable<KeyValueObjectID>()
    // Five entries whose place is the last of eight.
    var entries: [LogGraph.Entry] = []
    while entries.count < 5 {
      let id = KeyValueObjectID()
      if id.entryHash & 7 == 7 { entries.append(LogGraph.Entry(id, Thing(), type)) }
    }
    for entry in entries { table.insert(entry) }
    for (index, entry) in entries.enumerated() {
      table.remove(entry.id)
      #expect(entries.indices.filter { table[entries[$0].id] != nil } == Array(index + 1..<5))
    }
    #expect(table.count == 0)
  }

  @Test("After a peak, the table has as many places as the rest needs, and finds the rest")
  func shrinking() throws {
    let type = try LoggedClass(KeyValueSchema.schema(of: Thing.self))
    let table = EntryTable<KeyValueObjectID>()
    let entries = (0..<1_000).map { _ in LogGraph.Entry(KeyValueObjectID(), Thing(), type) }
    for entry in entries { table.insert(entry) }
    #expect(table.places.count == 2_048)
    for entry in entries.dropLast(5) { table.remove(entry.id) }
    #expect(table.places.count == 64)
    let found = entries.filter { table[$0.id] != nil }.map(\.id)
    #expect(found == entries.suffix(5).map(\.id) && table.count == 5)
  }

  @Test("The table retains its entries and releases what is removed")
  func lifetime() throws {
    let type = try LoggedClass(KeyValueSchema.schema(of: Thing.self))
    weak var first: LogGraph.Entry?
    weak var second: LogGraph.Entry?
    var table: EntryTable<KeyValueObjectID>? = EntryTable()
    do {
      let entries = (0..<2).map { _ in LogGraph.Entry(KeyValueObjectID(), Thing(), type) }
      for entry in entries { table?.insert(entry) }
      (first, second) = (entries[0], entries[1])
    }
    let id = try #require(first?.id)
    #expect(second != nil)
    table?.remove(id)
    #expect(first == nil && second != nil)
    table = nil
    #expect(second == nil)
  }
}
