// Only what the dependency audit needs, which release builds do without.
#if DEBUG || KVO_AUDIT
  import Synchronization

  /// The observable properties that one piece of code reads, on its thread.
  ///
  /// The accessors that the macro writes report each read (`KeyValueRegistrar.access(_:of:)`). While
  /// nothing is recorded on any thread, a read costs one load more.
  ///
  /// Mutable state: the table of all threads' recordings, under its lock; a recording's reads, which only
  /// the thread uses that made the recording.
  // Checked by hand: the table leads a thread to its own recordings only.
  @usableFromInline
  final class ReadRecording: @unchecked Sendable {
    /// One property of one object, which is not kept alive.
    struct Read {
      private(set) weak var object: (any KeyValueObservable)?
      let place: Place
    }

    /// Names a property of an object that is alive.
    struct Place: Hashable {
      let object: ObjectIdentifier
      /// The id that the property has in the schema.
      let id: Int
    }

    private(set) var reads: [Read] = []
    private var indexes: [Place: Int] = [:]
    /// Whether what is read now is not the recorded code's.
    private var isPaused: Bool

    private init(isPaused: Bool) {
      self.isPaused = isPaused
    }

    /// Whether a property was read of an object that is still alive.
    func contains(_ place: Place) -> Bool {
      indexes[place].map { reads[$0].object != nil } ?? false
    }

    private func note(_ object: any KeyValueObservable, _ id: Int) {
      if isPaused { return }
      let place = Place(object: ObjectIdentifier(object), id: id)
      // An object that is being destroyed has no weak references; nothing observes it either.
      let read = Read(object: object, place: place)
      if let index = indexes[place] {
        // The object that had the address before may be dead.
        if reads[index].object == nil { reads[index] = read }
      } else {
        indexes[place] = reads.count
        reads.append(read)
      }
    }

    // MARK: Threads

    private static let count = Atomic<Int>(0)
    /// The recordings of each thread, innermost last.
    private static let threads = LockedValue<[ThreadIdentity: [ReadRecording]]>([:])

    /// Whether anything is recorded, on this thread or another.
    @usableFromInline
    static var isActive: Bool { count.load(ordering: .relaxed) > 0 }

    /// Notes that a property is read.
    @usableFromInline
    static func note(_ object: any KeyValueObservable, _ id: Int) {
      let recording = threads.withLock { $0[.current]?.last }
      recording?.note(object, id)
    }

    /// Runs code and says what it read.
    static func record<Result>(_ body: () throws -> Result) rethrows -> (Result, ReadRecording) {
      let recording = ReadRecording(isPaused: false)
      return (try recording.run(body), recording)
    }

    /// Runs code whose reads are not those of the recorded code that it was called by: a callback.
    static func pausing<Result>(_ body: () throws -> Result) rethrows -> Result {
      isActive ? try ReadRecording(isPaused: true).run(body) : try body()
    }

    private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
      let thread = ThreadIdentity.current
      // Callbacks look for what is going on only where anything is.
      ThreadContext.beginActivity()
      ReadRecording.count.add(1, ordering: .relaxed)
      ReadRecording.threads.withLock { $0[thread, default: []].append(self) }
      defer {
        ReadRecording.threads.withLock { threads in
          threads[thread]?.removeLast()
          if threads[thread]?.isEmpty == true { threads[thread] = nil }
        }
        ReadRecording.count.subtract(1, ordering: .relaxed)
        ThreadContext.endActivity()
      }
      return try body()
    }
  }
#endif
