/// Whether as many bytes are the same in two buffers, from an offset in each.
func areSameBits(
  _ bytes: UnsafeRawBufferPointer, from start: Int, _ others: UnsafeRawBufferPointer,
  from otherStart: Int, _ count: Int
) -> Bool {
  var offset = 0
  while offset + MemoryLayout<UInt>.size <= count {
    let word = bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt.self)
    let other = others.loadUnaligned(fromByteOffset: otherStart + offset, as: UInt.self)
    if word != other { return false }
    offset += MemoryLayout<UInt>.size
  }
  while offset < count {
    if bytes[start + offset] != others[otherStart + offset] { return false }
    offset += 1
  }
  return true
}
