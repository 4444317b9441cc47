import Synchronization

// Mutable state and its guard: `recording` is atomic, the type has a lock.

/// What is kept of the code that makes a change, from which its place is found out later.
package protocol CallSite: AnyObject, Sendable {
  /// Keeps what tells the place of the code that runs now; nil where that's impossible.
  init?()

  /// Finds the place out.
  ///
  /// - Parameter key: The key that's changed. The place is outside of its own setter, if there is
  ///   anything outside.
  /// - Returns: The place; nil where nothing tells it.
  func place(ofChanging key: String) -> KeyValueTrace.Place?
}

/// Notes for each traced change where it's made.
///
/// The core can't tell: a setter has no parameters to pass a place, and reading the stack takes a library
/// that costs each program's start. `KeyValueCallSites` brings it.
package enum CallSites {
  private static let recording = Atomic<Bool>(false)
  private static let type = LockedValue<(any CallSite.Type)?>(nil)

  /// Whether call sites are noted.
  package static var areRecorded: Bool { recording.load(ordering: .relaxed) }

  /// Makes a call site at the beginning of each traced change; nil ends that.
  package static func record(as type: (any CallSite.Type)?) {
    Self.type.withLock { $0 = type }
    recording.store(type != nil, ordering: .relaxed)
  }

  /// What is kept of the code that makes a change now.
  static var current: (any CallSite)? {
    areRecorded ? type.withLock { $0 }?.init() : nil
  }

  /// The place of the code that registers an observer by a function without parameters for it.
  package static var currentPlace: SourcePlace {
    current?.place(ofChanging: "")?.place ?? .unknown
  }
}

extension KeyValueTrace.Place {
  /// The texts of files that are known at run time only, each with its zero, by address.
  private static let files = LockedValue<[String: UInt]>([:])

  /// A place that's found out at run time.
  ///
  /// The file's text is kept as long as the program, once for all of its lines, as a literal is.
  package init?(fileID: String, line: Int) {
    let address = Self.files.withLock { files in
      if let known = files[fileID] { return known }
      let text = fileID.utf8CString
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
      _ = copy.initialize(from: text)
      let address = UInt(bitPattern: copy.baseAddress)
      files[fileID] = address
      return address
    }
    self.init(SourcePlace(address: address, line: UInt(max(0, line))))
  }
}
