import Testing

@testable import KeyValueCore

@Suite("Words compared from both ends")
struct CommonEndsTests {
  /// The lengths of the common beginning and end.
  private func ends(_ old: [Int], _ new: [Int]) -> [Int] {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let prefix = commonPrefix(old, new)
        let limit = min(old.count, new.count) - prefix
        return [prefix, commonSuffix(old, new, atMost: limit)]
      }
    }
  }

  @Test("A word that differs is found at each place of each length")
  func replaced() {
    for count in 1...40 {
      let old = Array(0..<count)
      for index in old.indices {
        var new = old
        new[index] = -1
        #expect(ends(old, new) == [index, count - index - 1])
      }
    }
  }

  @Test("Beginning and end don't overlap where words repeat")
  func repeated() {
    for count in 0...40 {
      let shorter = Array(repeating: 7, count: count)
      #expect(ends(shorter, shorter) == [count, 0])
      #expect(ends(shorter, shorter + [7]) == [count, 0])
      #expect(ends(shorter + [7], shorter) == [count, 0])
      #expect(ends(shorter, [8] + shorter) == [0, count])
    }
  }
}
