import Synchronization

// Mutable state and its guard: `recording` is atomic; the type and the files' names have a lock each.

/// A record of the code that makes a change, from which its place is determined later.
package protocol CallSite: AnyObject, Sendable {
  /// Records the code that is running now; nil if that's impossible.
  init?()

  /// Determines the place.
  ///
  /// - Parameters:
  ///   - key: The changed key. The place is outside the key's own setter, unless there is no code
  ///     outside it.
  ///   - type: The changed object's class; nil if it isn't known.
  /// - Returns: The place; nil if it can't be determined.
  func place(ofChanging key: String, of type: AnyClass?) -> KeyValueTrace.Place?
}

/// Records where each traced change is made.
///
/// The core can't determine the place: a setter has no parameter for it, and reading the stack
/// needs a library that slows down every program's start. `KeyValueCallSites` links that library.
package enum CallSites {
  private static let recording = Atomic<Bool>(false)
  private static let type = LockedValue<(any CallSite.Type)?>(nil)

  /// Whether call sites are recorded.
  package static var areRecorded: Bool { recording.load(ordering: .relaxed) }

  /// Makes a call site of this type at the beginning of each traced change; nil turns this off.
  package static func record(as type: (any CallSite.Type)?) {
    Self.type.withLock { $0 = type }
    recording.store(type != nil, ordering: .relaxed)
  }

  /// A call site for the code that makes the current change.
  static var current: (any CallSite)? {
    areRecorded ? type.withLock { $0 }?.init() : nil
  }

  /// The place of code that registers an observer through a function without place parameters.
  package static var currentPlace: SourcePlace {
    current?.place(ofChanging: "", of: nil)?.place ?? .unknown
  }
}

extension KeyValueTrace.Place {
  /// The addresses of null-terminated copies of file names that are known only at run time.
  private static let files = LockedValue<[String: UInt]>([:])

  /// Creates a place that's determined at run time.
  ///
  /// The file's name is copied once for all of its lines and, like a literal, never freed.
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
