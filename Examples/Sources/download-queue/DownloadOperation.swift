import FoundationKVO

enum DownloadError: LocalizedError {
  case notFound(String)

  var errorDescription: String? {
    switch self {
    case .notFound(let file): return "\(file) was not found"
    }
  }
}

/// The state of an operation whose work outlasts `start()`.
@KeyValueObservable
class AsynchronousOperation: Operation, @unchecked Sendable {
  enum State: Int {
    case ready, executing, finished
  }

  private let lock = NSLock()
  private var currentState = State.ready

  dynamic var state: State {
    get {
      lock.lock()
      defer { lock.unlock() }
      return currentState
    }
    set {
      lock.lock()
      currentState = newValue
      lock.unlock()
    }
  }

  class func keyPathsForValuesAffectingIsReady() -> Set<String> {
    ["state"]
  }

  class func keyPathsForValuesAffectingIsExecuting() -> Set<String> {
    ["state"]
  }

  class func keyPathsForValuesAffectingIsFinished() -> Set<String> {
    ["state"]
  }

  override var isAsynchronous: Bool { true }
  override var isReady: Bool { super.isReady && state == .ready }
  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }

  override func start() {
    if isCancelled {
      state = .finished
      return
    }
    state = .executing
    main()
  }

  func finish() {
    state = .finished
  }
}

/// Downloads a file, chunk by chunk.
@KeyValueObservable
class DownloadOperation: AsynchronousOperation, ProgressReporting, @unchecked Sendable {
  let file: String
  let progress: Progress
  private(set) var data = Data()
  private(set) var error: Error?
  private let server: Server

  init(file: String, size: Int64, server: Server) {
    self.file = file
    self.server = server
    progress = Progress.discreteProgress(totalUnitCount: size)
    super.init()
    name = file
    progress.kind = .file
    progress.fileOperationKind = .downloading
  }

  override func main() {
    server.request(file) { [weak self] reply in self?.receive(reply) ?? false }
  }

  /// Handles a reply, and returns whether to continue.
  private func receive(_ reply: Server.Reply) -> Bool {
    switch reply {
    case .chunk(let chunk) where !isCancelled:
      data.append(chunk)
      progress.completedUnitCount += Int64(chunk.count)
      return true
    case .missing:
      error = DownloadError.notFound(file)
    default:
      break
    }
    finish()
    return false
  }

  override func cancel() {
    super.cancel()
    progress.cancel()
  }
}

/// Combines the files that its dependencies have downloaded.
@KeyValueObservable
class ArchiveOperation: Operation, @unchecked Sendable {
  private(set) var contents: [String] = []

  override func main() {
    for case let download as DownloadOperation in dependencies {
      if let error = download.error {
        contents.append(error.localizedDescription)
      } else if download.isCancelled {
        contents.append("\(download.file) was cancelled")
      } else {
        contents.append("\(download.file) has \(download.data.count) bytes")
      }
    }
  }
}
