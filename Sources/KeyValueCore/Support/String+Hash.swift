extension String {
  /// FNV-1a of the bytes, for strings that no attacker can choose.
  var quickHash: Int {
    var key = self
    return key.withUTF8 { bytes in
      var hash: UInt32 = 0x811C_9DC5
      for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
      return Int(hash ^ hash >> 15)
    }
  }
}
