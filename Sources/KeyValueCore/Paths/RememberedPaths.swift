import Synchronization

/// The paths that extend one path, so that spelling them again is a look-up.
///
/// A component spelled in code is one key path object for the whole run. It's found by identity,
/// without a lock. A key path that the runtime creates anew each time, as in generic code, is found
/// by equality, and isn't kept again.
// Checked by hand: `entries` and `newest` are accessed only under `lock`. Published tables and
// entries live as long as this object and never change, except that each slot is filled once.
@usableFromInline
final class RememberedPaths: @unchecked Sendable {
  /// The subscript that made the step: one key path leads to different types through different
  /// subscripts.
  @usableFromInline
  enum Kind: UInt8, Sendable {
    case step
    case through
    case flattening
  }

  private final class Entry {
    let keyPath: AnyKeyPath
    let kind: Kind
    let content: AnyObject

    init(_ keyPath: AnyKeyPath, _ kind: Kind, _ content: AnyObject) {
      self.keyPath = keyPath
      self.kind = kind
      self.content = content
    }
  }

  private struct Equality: Hashable {
    let keyPath: AnyKeyPath
    let kind: Kind
  }

  /// Open addressing; at most half full.
  private final class Table {
    let slots: UnsafeMutablePointer<Atomic<UInt>>
    let mask: Int
    /// Kept, because readers may still use it.
    let previous: Table?

    init(capacity: Int, previous: Table?) {
      mask = capacity - 1
      slots = .allocate(capacity: capacity)
      for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
      self.previous = previous
    }

    deinit {
      slots.deinitialize(count: mask + 1)
      slots.deallocate()
    }

    @inline(__always)
    static func hash(_ keyPath: AnyKeyPath) -> Int {
      let address = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
      return Int(truncatingIfNeeded: address >> 4 ^ address >> 12)
    }

    func insert(_ entry: Unmanaged<Entry>) {
      var index = entry._withUnsafeGuaranteedRef { Table.hash($0.keyPath) } & mask
      while slots[index].load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
      slots[index].store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
    }
  }

  /// More components than a program spells in one place; only computed key paths exceed it.
  private static let limit = 1024
  /// The address of `newest`, for readers without the lock.
  private let table = Atomic<UInt>(0)
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var entries: [Equality: Entry] = [:]
  @exclusivity(unchecked) private var newest: Table?

  init() {}

  /// The content of the path that this key path object leads to.
  @inline(__always)
  func content(_ keyPath: AnyKeyPath, _ kind: Kind) -> AnyObject? {
    guard let pointer = UnsafeRawPointer(bitPattern: table.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<Table>.fromOpaque(pointer)._withUnsafeGuaranteedRef { table in
      var index = Table.hash(keyPath) & table.mask
      while let pointer = UnsafeRawPointer(
        bitPattern: table.slots[index].load(ordering: .acquiring))
      {
        let found = Unmanaged<Entry>.fromOpaque(pointer)._withUnsafeGuaranteedRef { entry in
          entry.keyPath === keyPath && entry.kind == kind ? entry.content : nil
        }
        if let found { return found }
        index = (index + 1) & table.mask
      }
      return nil
    }
  }

  /// The content of the path that an equal key path leads to; the new one if there is none yet.
  ///
  /// Comparing key paths with arguments compares these, which is the program's code. So it happens without the lock, in
  /// a copy, which replaces the entries if they are still the same.
  func content(_ keyPath: AnyKeyPath, _ kind: Kind, orMake make: () -> AnyObject) -> AnyObject {
    let key = Equality(keyPath: keyPath, kind: kind)
    var entry: Entry?
    while true {
      let present = lock.withLock { entries }
      if let known = present[key] { return known.content }
      guard present.count < RememberedPaths.limit else { return entry?.content ?? make() }
      let new = entry ?? Entry(keyPath, kind, make())
      entry = new
      var extended = present
      extended[key] = new
      let isDone = lock.withLock {
        guard entries.count == present.count else { return false }
        swap(&entries, &extended)
        publish(new)
        return true
      }
      // The former dictionary is released here, without the lock.
      withExtendedLifetime(extended) {}
      if isDone { return new.content }
    }
  }

  /// Makes an entry visible to readers; the caller holds the lock.
  private func publish(_ entry: Entry) {
    if let newest, 2 * entries.count <= newest.mask {
      return newest.insert(.passUnretained(entry))
    }
    let capacity = max(8, 4 * entries.count.roundedUpToPowerOfTwo)
    let table = Table(capacity: capacity, previous: newest)
    for entry in entries.values { table.insert(.passUnretained(entry)) }
    newest = table
    self.table.store(
      UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()), ordering: .releasing)
  }
}

extension Int {
  fileprivate var roundedUpToPowerOfTwo: Int {
    var power = 1
    while power < self { power *= 2 }
    return power
  }
}
