import Synchronization

/// A reference that one thread sets once and all threads then only read.
///
/// Equivalent to the standard library's `AtomicLazyReference`, but specialised: that type's generic
/// code asks the runtime for metadata at each read, which costs 800 instructions.
struct PublishedReference<Object: AnyObject>: ~Copyable {
  private let bits = Atomic<UInt>(0)

  private static func unmanaged(_ bits: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
  }

  @inline(__always)
  func load() -> Object? {
    Self.unmanaged(bits.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Lends the object without retaining it, which is safe while the caller holds this reference.
  @inline(__always)
  func withLoaded<Result>(_ body: (Object) -> Result?) -> Result? {
    Self.unmanaged(bits.load(ordering: .acquiring))?._withUnsafeGuaranteedRef(body)
  }

  /// Sets the reference unless another one is set; returns the one that stays.
  func storeIfNil(_ object: Object) -> Object {
    let new = Unmanaged.passRetained(object)
    let outcome = bits.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
    guard !outcome.exchanged, let present = Self.unmanaged(outcome.original) else { return object }
    new.release()
    return present.takeUnretainedValue()
  }

  deinit {
    Self.unmanaged(bits.load(ordering: .acquiring))?.release()
  }
}
