/// The locks that guard registrars, and tokens: a fixed number, shared by address, so that none needs one
/// of its own.
///
/// The word of a registrar and everything reached through it is read and changed under the
/// registrar's lock, except for the two transitions named in `KeyValueRegistrar`. A lock is held for
/// a few instructions, never while code of the user's runs, and never two at once.
struct RegistrarGuard: Sendable {
  private struct Stripe: ~Copyable, Sendable {
    let lock = UnfairLock()
    // One cache line each, so that objects under different locks do not slow each other down.
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

  // Spelt out, because the compiler lays out what consists of constants: an array made at first use
  // would call `swift_once` each time that a lock is taken.
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

  /// The lock of an object, at the address that the object keeps as long as it lives.
  init(of object: AnyObject) {
    self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
  }

  private init(_ address: UInt64) {
    index = UInt8(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Takes the lock, where a closure would not be inlined; every way out has to give it back.
  @inline(__always)
  func lock() { stripe.pointee.lock.lock() }

  @inline(__always)
  func unlock() { stripe.pointee.lock.unlock() }

  @inline(__always)
  func withLock<Result>(_ body: () -> Result) -> Result {
    stripe.pointee.lock.withLock(body)
  }
}
