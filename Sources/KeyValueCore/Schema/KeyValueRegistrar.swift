import CKeyValueWord
import Synchronization

/// An observable object's own word: whether the object is observed, and by which observances.
///
/// It's stored in the object, so it's destroyed after the class's own `deinit` has run and can never be
/// found again through a recycled address. A class written without the macro holds one as a `let` and
/// lends it out in `_$kvoWithRegistrar(_:)`.
///
/// The word is one of
/// - 0: not observed, and not being modified in place. Setting a property costs two extra loads and a
///   branch.
/// - a property id with both low bits set: not observed, and that property is being modified in place.
/// - the address of `RegistrarContents`, which the word retains, with the lowest bit set while any
///   property of the object is being modified in place.
///
/// A word that isn't 0 changes only under the registrar's lock, except for one transition: the end of the
/// modification that the second form marks. So a reader that finds 0 needs no lock. A reader that finds
/// an address takes the lock before it follows the address.
public struct KeyValueRegistrar: ~Copyable, Sendable {
  @usableFromInline let word = Atomic<UInt>(0)
  /// The registrar's address, set when it first gets a storage and constant from then on.
  ///
  /// In a `deinit` the compiler moves `self` to the stack, so only this address leads to the lock, and to
  /// the word that other threads may still be changing.
  let home = Atomic<UInt>(0)

  @usableFromInline static let modifyingBit: UInt = 1
  static let markBit: UInt = 2

  /// Creates the registrar of an unobserved object.
  public init() {}

  /// Whether the object is neither observed nor being modified in place.
  @inlinable
  @inline(__always)
  public var isIdle: Bool {
    word.load(ordering: .relaxed) == 0
  }

  /// Whether a setter only stores: the object is idle, and no transaction may roll the set back.
  @inlinable
  @inline(__always)
  public var storesDirectly: Bool {
    withUnsafePointer(to: word) { _kvo_stores_directly($0) }
  }

  /// Whether some thread's transaction may roll back what the thread sets.
  @inlinable
  @inline(__always)
  static var mayRollBack: Bool { _kvo_may_roll_back() }

  /// Counts the parts of transactions that may be rolled back.
  static func countRollback(_ change: Int) { _kvo_add_open_rollbacks(change) }

  /// Whether a property of the object is being modified in place.
  ///
  /// Unlike `Atomic.load`, this changes nothing as far as the optimiser knows, so a getter that calls it isn't
  /// a reason to retain the object.
  @inlinable
  @inline(__always)
  var isBeingModified: Bool {
    withUnsafePointer(to: word) {
      UInt(_kvo_relaxed_load($0)) & KeyValueRegistrar.modifyingBit != 0
    }
  }

  deinit {
    let address = UnsafePointer<KeyValueRegistrar>(bitPattern: home.load(ordering: .relaxed))
    guard !isIdle, let address else { return }
    // Another thread may be ending the last observation, and would release the storage. A thread that
    // holds the lock finds the object's memory intact, because it isn't freed before this returns.
    let contents = RegistrarGuard(address).withLock { () -> RegistrarContents? in
      let word = address.pointee.word.exchange(0, ordering: .acquiringAndReleasing)
      return KeyValueRegistrar.contents(word).map {
        Unmanaged<RegistrarContents>.fromOpaque($0).takeRetainedValue()
      }
    }
    contents?.objectDied()
  }

  // MARK: Storage

  @usableFromInline
  package borrowing func address() -> UnsafePointer<KeyValueRegistrar> {
    // The registrar is never copied or moved while its object lives: it holds an atomic.
    withUnsafePointer(to: self) { $0 }
  }

  static func mark(_ id: Int) -> UInt {
    UInt(bitPattern: id) << 2 | markBit | modifyingBit
  }

  static func markedID(_ word: UInt) -> Int? {
    word & markBit != 0 ? Int(bitPattern: word >> 2) : nil
  }
}

extension KeyValueRegistrar {
  /// The address of the contents that a word holds.
  static func contents(_ word: UInt) -> UnsafeRawPointer? {
    guard word & KeyValueRegistrar.markBit == 0 else { return nil }
    return UnsafeRawPointer(bitPattern: word & ~KeyValueRegistrar.modifyingBit)
  }
}
