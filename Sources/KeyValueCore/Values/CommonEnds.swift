// Values of a word's size whose equality is that of their bits: integers and identities.

/// How many words are compared before the loop looks at the result; the compiler makes vector instructions
/// of them.
private let stride = 16

/// How many words at the beginning of two lists are the same.
@inline(__always)
func commonPrefix<Word>(
  _ old: UnsafeBufferPointer<Word>, _ new: UnsafeBufferPointer<Word>
) -> Int {
  commonPrefix(words(old), words(new))
}

/// How many words at the end of two lists are the same, up to a limit.
@inline(__always)
func commonSuffix<Word>(
  _ old: UnsafeBufferPointer<Word>, _ new: UnsafeBufferPointer<Word>, atMost limit: Int
) -> Int {
  commonSuffix(words(old), words(new), atMost: limit)
}

/// The bits of the values.
@inline(__always)
private func words<Word>(_ values: UnsafeBufferPointer<Word>) -> UnsafeBufferPointer<UInt> {
  precondition(MemoryLayout<Word>.stride == MemoryLayout<UInt>.stride)
  let bytes = UnsafeRawBufferPointer(values)
  return UnsafeBufferPointer(
    start: bytes.baseAddress?.assumingMemoryBound(to: UInt.self), count: values.count)
}

private func commonPrefix(
  _ old: UnsafeBufferPointer<UInt>, _ new: UnsafeBufferPointer<UInt>
) -> Int {
  let count = min(old.count, new.count)
  guard let old = old.baseAddress, let new = new.baseAddress else { return 0 }
  var index = 0
  while index + stride <= count, areSame(old + index, new + index) { index += stride }
  while index < count, old[index] == new[index] { index += 1 }
  return index
}

private func commonSuffix(
  _ old: UnsafeBufferPointer<UInt>, _ new: UnsafeBufferPointer<UInt>, atMost limit: Int
) -> Int {
  guard let oldEnd = old.baseAddress.map({ $0 + old.count }),
    let newEnd = new.baseAddress.map({ $0 + new.count })
  else { return 0 }
  var index = 0
  while index + stride <= limit, areSame(oldEnd - index - stride, newEnd - index - stride) {
    index += stride
  }
  while index < limit, oldEnd[-index - 1] == newEnd[-index - 1] { index += 1 }
  return index
}

/// Whether a stride of words is the same in two lists.
@inline(__always)
private func areSame(_ old: UnsafePointer<UInt>, _ new: UnsafePointer<UInt>) -> Bool {
  var difference: UInt = 0
  for index in 0..<stride { difference |= old[index] ^ new[index] }
  return difference == 0
}
