/// The locks that guard registrars, and tokens: a fixed number, shared by address, so that none needs one
/// of its own.
///
/// The word of a registrar and everything reached through it is read and changed under the
/// registrar's lock, except for the two transitions named in `KeyValueRegistrar`. A lock is held for
/// a few instructions, never while code of the user's runs, and never two at once.
struct RegistrarGuard: Sendable {
  private struct Stripe: ~Copyable {
    let lock = UnfairLock()
    // One cache line each, so that objects under different locks do not slow each other down.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
      0, 0, 0, 0, 0, 0, 0
    )
  }

  private static let count = 256

  // Allocated once, initialised before it is published and never freed, so sharing the pointer is
  // sharing 256 locks.
  nonisolated(unsafe) private static let stripes: UnsafeMutablePointer<Stripe> = {
    let stripes = UnsafeMutablePointer<Stripe>.allocate(capacity: count)
    for index in 0..<count { (stripes + index).initialize(to: Stripe()) }
    return stripes
  }()

  private let index: UInt8

  init(_ registrar: UnsafePointer<KeyValueRegistrar>) {
    self.init(UInt64(UInt(bitPattern: registrar)))
  }

  /// The lock of an object, at the address that the object keeps as long as it lives.
  init(of object: AnyObject) {
    self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
  }

  private init(_ address: UInt64) {
    index = UInt8(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Takes the lock, where a closure would not be inlined; every way out has to give it back.
  @inline(__always)
  func lock() { RegistrarGuard.stripes[Int(index)].lock.lock() }

  @inline(__always)
  func unlock() { RegistrarGuard.stripes[Int(index)].lock.unlock() }

  @inline(__always)
  func withLock<Result>(_ body: () -> Result) -> Result {
    RegistrarGuard.stripes[Int(index)].lock.withLock(body)
  }
}
