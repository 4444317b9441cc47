import FoundationKVO

private var operationContext = 0

/// Downloads files one after the other, and prints the progress.
@KeyValueObservable
class DownloadManager: NSObject {
  let queue = OperationQueue()
  let progress: Progress

  /// Called with a download's name and its bytes so far.
  var didReceive: ((DownloadOperation) -> Void)?

  private(set) var downloads: [DownloadOperation] = []
  private var observations: [NSKeyValueObservation] = []
  private let observedKeys = [
    "isExecuting", "isFinished",
    "isCancelled",
  ]

  init(totalUnitCount: Int64) {
    progress = Progress.discreteProgress(totalUnitCount: totalUnitCount)
    super.init()
    queue.name = "downloads"
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    observations.append(
      progress.observe(\.fractionCompleted, options: [.old, .new]) { _, change in
        print("  all: \(Int((change.newValue ?? 0) * 100))%")
      })
  }

  deinit {
    for download in downloads {
      for key in observedKeys {
        download.removeObserver(self, forKeyPath: key, context: &operationContext)
      }
    }
  }

  @discardableResult
  func add(_ download: DownloadOperation) -> DownloadOperation {
    downloads.append(download)
    progress.addChild(
      download.progress, withPendingUnitCount: download.progress.totalUnitCount)
    for key in observedKeys {
      download.addObserver(
        self, forKeyPath: key, options: [.old, .new], context: &operationContext)
    }
    observations.append(
      download.progress.observe(\.completedUnitCount) { [weak self, weak download] progress, _ in
        guard let download = download else { return }
        print("  \(download.file): \(progress.completedUnitCount) of \(progress.totalUnitCount)")
        self?.didReceive?(download)
      })
    queue.addOperation(download)
    return download
  }

  func run(thenArchiveIn archive: ArchiveOperation) {
    downloads.forEach(archive.addDependency)
    queue.addOperation(archive)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &operationContext, let download = object as? DownloadOperation else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    guard change?[.newKey] as? Bool == true, change?[.oldKey] as? Bool != true else { return }
    switch keyPath {
    case "isExecuting": print("\(download.file) begins")
    case "isFinished": print("\(download.file) ends")
    case "isCancelled": print("  \(download.file) is cancelled")
    default: break
    }
  }
}
