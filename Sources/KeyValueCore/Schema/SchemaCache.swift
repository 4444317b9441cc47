import Synchronization

/// Finds a class's schema without a lock.
///
/// Several classes share a slot, which holds the latest one's schema.
enum SchemaCache {
  struct Slot {
    fileprivate let bits: UnsafeMutablePointer<Atomic<UInt>>

    /// The slot's schema.
    ///
    /// Schemas are never freed, so the caller needn't retain it.
    var unretainedSchema: Unmanaged<KeyValueSchema>? {
      UnsafeRawPointer(bitPattern: bits.pointee.load(ordering: .acquiring)).map {
        Unmanaged.fromOpaque($0)
      }
    }

    var schema: KeyValueSchema? {
      get { unretainedSchema?.takeUnretainedValue() }
      nonmutating set {
        let pointer = newValue.map { Unmanaged.passUnretained($0).toOpaque() }
        bits.pointee.store(UInt(bitPattern: pointer), ordering: .releasing)
      }
    }
  }

  private static let count = 256

  // Allocated and initialised before it's published, never freed, and all of it atomic.
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Atomic<UInt>> = {
    let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Atomic(0)) }
    return slots
  }()

  static func slot(for type: any KeyValueObservable.Type) -> Slot {
    let address = UInt(bitPattern: ObjectIdentifier(type))
    // Class metadata takes a few hundred bytes, at multiples of 8.
    return Slot(bits: slots + Int((address >> 3 ^ address >> 11) & UInt(count - 1)))
  }
}
