/// A sequence of numbers that's the same for the same seed.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  package mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// A number from 0 to below a limit.
  package mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
