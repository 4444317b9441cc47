/// Whether the allocator soon reuses a freed object's memory.
///
/// The address sanitizer's allocator doesn't. A test that depends on reuse must not fail there.
public func allocatorReusesAddresses() -> Bool {
  var addresses: Set<ObjectIdentifier> = []
  for _ in 0..<1000 where !addresses.insert(addressOfMortal()).inserted { return true }
  return false
}

private final class Mortal {
  var value = 0
}

// Not inlined, so that the object is allocated on the heap.
@inline(never)
private func addressOfMortal() -> ObjectIdentifier {
  ObjectIdentifier(Mortal())
}
