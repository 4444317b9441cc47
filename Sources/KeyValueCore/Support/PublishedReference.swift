import Synchronization

/// A reference that is set once, by whichever thread is first, and then only read.
///
/// Does what the standard library's `AtomicLazyReference` does. That one asks the runtime for metadata at
/// each read, 800 instructions, because its generic code is not specialised.
struct PublishedReference<Object: AnyObject>: ~Copyable {
  private let bits = Atomic<UInt>(0)

  private static func unmanaged(_ bits: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
  }

  @inline(__always)
  func load() -> Object? {
    Self.unmanaged(bits.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Lends the object without retaining it, which the caller's hold on this reference makes safe.
  @inline(__always)
  func withLoaded<Result>(_ body: (Object) -> Result?) -> Result? {
    Self.unmanaged(bits.load(ordering: .acquiring))?._withUnsafeGuaranteedRef(body)
  }

  /// Sets the reference unless another has been set; returns the one that is kept.
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
