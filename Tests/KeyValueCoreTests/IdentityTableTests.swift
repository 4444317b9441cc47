import Testing

@testable import KeyValueCore

@Suite("IdentityTable")
struct IdentityTableTests {
  private final class Object {}

  @Test("Values are found by identity, and a second insertion changes nothing")
  func values() {
    let objects = (0..<1_000).map { _ in Object() }
    var table = IdentityTable<Int>()
    let areNew = objects.enumerated().map { table.insert($0, for: ObjectIdentifier($1)) }
    #expect(areNew.allSatisfy { $0 })
    let isNewAgain = table.insert(-1, for: ObjectIdentifier(objects[7]))
    #expect(!isNewAgain)
    #expect(objects.map { table[ObjectIdentifier($0)] } == (0..<1_000).map { $0 })
    for object in objects.dropFirst(500) { table[ObjectIdentifier(object)] = nil }
    #expect(table.count == 500 && !table.isEmpty)
    #expect(Set(table.values) == Set(0..<500))
    #expect(Set(table.identities) == Set(objects.prefix(500).map { ObjectIdentifier($0) }))
    #expect(table[ObjectIdentifier(objects[999])] == nil)
  }
}
