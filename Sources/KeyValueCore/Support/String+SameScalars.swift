@_spi(Replication)
extension String {
  /// Whether another string has the same Unicode scalars, which an equal one needn't have.
  public func hasSameScalars(as other: String) -> Bool {
    // Small strings have their bytes inside, and copies share them.
    if haveSameBits(self, other) { return true }
    if utf8.count != other.utf8.count { return false }
    let haveSameBytes = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable {
        areSameBits(
          UnsafeRawBufferPointer(bytes), from: 0, UnsafeRawBufferPointer($0), from: 0, bytes.count)
      }
    }
    // Only a string of Foundation's, on Apple's systems, may lack contiguous bytes.
    return (haveSameBytes ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

/// Whether two values have the same bits, as copies have that share what is in them.
func haveSameBits<Value>(_ left: Value, _ right: Value) -> Bool {
  withUnsafeBytes(of: left) { bytes in
    withUnsafeBytes(of: right) { areSameBits(bytes, from: 0, $0, from: 0, bytes.count) }
  }
}
