/// A value that equals another one with the same number, whatever data they have.
struct FuzzTag: Hashable, Codable {
  let number: Int
  var data: Int

  static func == (left: FuzzTag, right: FuzzTag) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The same as an object that has no keys, and that a log writes as a value.
final class FuzzSlip: Hashable, Codable {
  let number: Int
  let data: Int

  init(_ number: Int, _ data: Int) {
    self.number = number
    self.data = data
  }

  static func == (left: FuzzSlip, right: FuzzSlip) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension FuzzValue {
  /// The value as a tag.
  var tag: FuzzTag {
    guard case .tag(let number, let data) = self else { return FuzzTag(number: 0, data: 0) }
    return FuzzTag(number: number, data: data)
  }

  /// The value as a slip.
  var slip: FuzzSlip { FuzzSlip(tag.number, tag.data) }
}
