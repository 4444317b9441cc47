import Testing

@testable import KeyValueCore

@Suite("PathStep")
struct PathStepTests {
  @Test("A path of a component that is no key is let go of when nobody uses it")
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
