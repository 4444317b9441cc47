import Synchronization

/// Where the schema of a class is found without a lock: one slot for many classes, which holds the one
/// that was asked for last.
enum SchemaCache {
  struct Slot {
    fileprivate let bits: UnsafeMutablePointer<Atomic<UInt>>

    /// The schema that is there; schemas are never freed, so it may be used without a retain.
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

  // Allocated and initialised before it is published, never freed, and all of it atomic.
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Atomic<UInt>> = {
    let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Atomic(0)) }
    return slots
  }()

  static func slot(for type: any KeyValueObservable.Type) -> Slot {
    let address = UInt(bitPattern: ObjectIdentifier(type))
    // Class metadata is a few hundred bytes, at addresses that are multiples of 8.
    return Slot(bits: slots + Int((address >> 3 ^ address >> 11) & UInt(count - 1)))
  }
}
