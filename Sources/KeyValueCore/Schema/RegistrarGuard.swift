/// The locks that guard registrars and tokens: a fixed number, shared by address, so that none needs its
/// own lock.
///
/// The word of a registrar and everything reached through it are read and changed under the
/// registrar's lock, except where an unobserved object's property is marked as being modified, and where
/// that mark ends (`KeyValueRegistrar`). A lock is held for a few instructions, and never while client
/// code runs. No thread holds two locks at once.
struct RegistrarGuard: Sendable {
  private struct Stripe: ~Copyable, Sendable {
    let lock = UnfairLock()
    // One cache line each, so that objects under different locks don't slow each other down.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
      0, 0, 0, 0, 0, 0, 0
    )
  }

  private struct Stripes4: ~Copyable, Sendable {
    let a = Stripe()
    let b = Stripe()
    let c = Stripe()
    let d = Stripe()
  }

  private struct Stripes16: ~Copyable, Sendable {
    let a = Stripes4()
    let b = Stripes4()
    let c = Stripes4()
    let d = Stripes4()
  }

  private struct Stripes64: ~Copyable, Sendable {
    let a = Stripes16()
    let b = Stripes16()
    let c = Stripes16()
    let d = Stripes16()
  }

  private struct Stripes256: ~Copyable, Sendable {
    let a = Stripes64()
    let b = Stripes64()
    let c = Stripes64()
    let d = Stripes64()
  }

  // Spelled out, because the compiler initialises constants statically. An array created on first use
  // would call `swift_once` each time a lock is taken.
  private static let stripes = Stripes256()

  // The global can't be copied, so this is its own address, which doesn't change.
  @inline(__always)
  private var stripe: UnsafePointer<Stripe> {
    withUnsafePointer(to: RegistrarGuard.stripes) {
      UnsafeRawPointer($0).assumingMemoryBound(to: Stripe.self) + Int(index)
    }
  }

  private let index: UInt8

  init(_ registrar: UnsafePointer<KeyValueRegistrar>) {
    self.init(UInt64(UInt(bitPattern: registrar)))
  }

  /// The lock of an object, by its address, which is constant while the object lives.
  init(of object: AnyObject) {
    self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
  }

  private init(_ address: UInt64) {
    index = UInt8(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Takes the lock, for code whose closure wouldn't be inlined; every exit has to unlock it.
  @inline(__always)
  func lock() { stripe.pointee.lock.lock() }

  @inline(__always)
  func unlock() { stripe.pointee.lock.unlock() }

  @inline(__always)
  func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
    stripe.pointee.lock.withLock(body)
  }
}
