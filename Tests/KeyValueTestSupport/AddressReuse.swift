/// Whether the allocator soon gives a freed object's memory to another one.
///
/// The address sanitizer's does not. A test that needs it shows nothing there, and must not fail for it.
public func allocatorReusesAddresses() -> Bool {
  var addresses: Set<ObjectIdentifier> = []
  for _ in 0..<1000 where !addresses.insert(addressOfMortal()).inserted { return true }
  return false
}

private final class Mortal {
  var value = 0
}

// Not inlined, so that the object is not put on the stack.
@inline(never)
private func addressOfMortal() -> ObjectIdentifier {
  ObjectIdentifier(Mortal())
}
