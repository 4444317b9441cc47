import Testing

@testable import KeyValueCore

@Suite("PathStep")
struct PathStepTests {
  @Test("A path whose component isn't a key is released after its last use")
  func noKey() {
    weak var content: AnyObject?
    do {
      let path: KeyValuePath<[Int], Int> = KeyValuePath<[Int], [Int]>.start[dynamicMember: \.count]
      content = path.content
      #expect(String(path) == "@count")
    }
    #expect(content == nil)
  }
}
