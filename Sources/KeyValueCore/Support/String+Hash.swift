extension String {
  /// FNV-1a of the bytes, for strings that no attacker can choose.
  var quickHash: Int {
    // Only a string of Foundation's, on Apple's systems, may lack contiguous bytes.
    utf8.withContiguousStorageIfAvailable { String.hash($0) } ?? String.hash(utf8)
  }

  @inline(__always)
  private static func hash(_ bytes: some Sequence<UInt8>) -> Int {
    var hash: UInt32 = 0x811C_9DC5
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    // 30 bits, which an `Int` of 32 bits holds.
    return Int((hash ^ hash >> 15) & 0x3FFF_FFFF)
  }
}
