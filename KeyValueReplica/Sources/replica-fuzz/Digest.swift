import Foundation
import KeyValueObserving

/// A number by which processes compare graphs.
struct Digest: Hashable, CustomStringConvertible {
  private let text: String

  init(text: some StringProtocol) { self.text = String(text) }

  /// The digest of a graph's objects; the schema doesn't count.
  init(_ snapshot: KeyValueSnapshot) throws {
    var bare = snapshot
    bare.schema = 0
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in try encoder.encode(bare) { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3 }
    text = String(hash, radix: 16)
  }

  var description: String { text }
}

extension KeyValueSnapshot {
  /// What differs from another one, by object and key.
  func differences(from other: KeyValueSnapshot) -> [String] {
    Set(objects.keys).union(other.objects.keys).flatMap { id -> [String] in
      guard let here = objects[id] else { return ["\(id) is missing"] }
      guard let there = other.objects[id] else { return ["\(id) is too much: \(here)"] }
      return Set(here.values.keys).union(there.values.keys)
        .filter { here.values[$0] != there.values[$0] }
        .map { key in
          let values = [here, there].map { $0.values[key].map { "\($0)" } ?? "nothing" }
          return "\(here.class).\(key) of \(id) is \(values[0]), not \(values[1])"
        }
    }.sorted()
  }
}
