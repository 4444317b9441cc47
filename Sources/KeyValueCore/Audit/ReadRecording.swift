// Only the dependency audit needs it; release builds don't contain it.
#if DEBUG || KVO_AUDIT
  import Synchronization

  /// The observable properties that a piece of code reads on its thread.
  ///
  /// The accessors that the macro writes report each read (`KeyValueRegistrar.access(_:of:)`).
  /// While no thread records, a read costs one extra load.
  @usableFromInline
  final class ReadRecording {
    /// One property of one object, which it doesn't keep alive.
    struct Read {
      private(set) weak var object: (any KeyValueObservable)?
      let place: Place
    }

    /// A property of a live object.
    struct Place: Hashable {
      let object: ObjectIdentifier
      /// The property's id in the schema.
      let id: Int
    }

    private(set) var reads: [Read] = []
    private var indexes: [Place: Int] = [:]
    /// Whether reads are ignored at the moment, because they don't belong to the recorded code.
    private var isPaused: Bool
    /// The number of the observance that the code reads a value for.
    private let reader: UInt64?

    private init(isPaused: Bool, for reader: UInt64? = nil) {
      self.isPaused = isPaused
      self.reader = reader
    }

    /// Whether this property of a live object was read.
    func contains(_ place: Place) -> Bool {
      indexes[place].map { reads[$0].object != nil } ?? false
    }

    private func note(_ object: any KeyValueObservable, _ id: Int) {
      if isPaused { return }
      let place = Place(object: ObjectIdentifier(object), id: id)
      // An object in its deinit can't have weak references; it isn't observed either.
      let read = Read(object: object, place: place)
      if let index = indexes[place] {
        // The previous object at the address may be dead.
        if reads[index].object == nil { reads[index] = read }
      } else {
        indexes[place] = reads.count
        reads.append(read)
      }
    }

    // MARK: Threads

    private static let count = Atomic<Int>(0)
    /// A thread's recordings, innermost last.
    private final class Recordings {
      var all: [ReadRecording] = []
    }

    private static let recordings = ThreadLocal { Recordings() }

    /// Whether any thread records.
    @usableFromInline
    static var isActive: Bool { count.load(ordering: .relaxed) > 0 }

    /// Records the read of a property.
    @usableFromInline
    static func note(_ object: any KeyValueObservable, _ id: Int) {
      recordings.known?.all.last?.note(object, id)
    }

    /// The number of reads for the observance that are in progress on this thread.
    static func depth(of reader: UInt64) -> Int {
      recordings.known?.all.count { $0.reader == reader } ?? 0
    }

    /// Runs code, which may read a value for an observance, and returns its reads.
    static func record<Result>(
      for reader: UInt64? = nil, _ body: () throws -> Result
    ) rethrows -> (Result, ReadRecording) {
      let recording = ReadRecording(isPaused: false, for: reader)
      return (try recording.run(body), recording)
    }

    /// Runs a handler: its reads don't belong to the recorded code that calls it.
    static func pausing<Result>(_ body: () throws -> Result) rethrows -> Result {
      isActive ? try ReadRecording(isPaused: true).run(body) : try body()
    }

    private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
      let recordings = ReadRecording.recordings.value
      // Handlers pause a recording only while there is activity.
      ThreadActivity.begin()
      ReadRecording.count.add(1, ordering: .relaxed)
      recordings.all.append(self)
      defer {
        recordings.all.removeLast()
        ReadRecording.count.subtract(1, ordering: .relaxed)
        ThreadActivity.end()
      }
      return try body()
    }
  }
#endif
