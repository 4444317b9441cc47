import Dispatch
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Watches a file's date, until it's released.
final class SQLiteWatch: Sendable {
  enum Event: Sendable {
    /// The file was touched.
    case rung
    /// The interval has passed. If there's another file at the path by now, it's watched from here on.
    case time
  }

  // Dispatch sources may be used on every thread; their types don't say so.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer

  #if canImport(Darwin)
    private let file: SQLiteWatchedFile
  #else
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?
  #endif

  init(
    _ path: String, on queue: DispatchQueue, every interval: DispatchTimeInterval,
    _ handler: @escaping @Sendable (Event) -> Void
  ) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    #if canImport(Darwin)
      let file = SQLiteWatchedFile(path, on: queue) { handler(.rung) }
      let watch: @Sendable () -> Void = { file.watch() }
      self.file = file
    #else
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      // Of a file that's watched already it changes nothing.
      let watch: @Sendable () -> Void = {
        _ = inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB))
      }
      // The system has a limited number of them for each user. Without one, the timer is all there is.
      source =
        descriptor < 0
        ? nil : DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source?.setEventHandler {
        var events = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &events, events.count) > 0 {}
        handler(.rung)
      }
      source?.setCancelHandler { close(descriptor) }
      source?.activate()
    #endif
    timer.setEventHandler {
      handler(.time)
      watch()
    }
    timer.schedule(deadline: .now() + interval, repeating: interval)
    watch()
    timer.activate()
    self.timer = timer
  }

  deinit {
    timer.cancel()
    #if canImport(Darwin)
      file.end()
    #else
      source?.cancel()
    #endif
  }
}

#if canImport(Darwin)
  /// Watches the file that's at a path, and another one if that takes its place.
  private final class SQLiteWatchedFile: Sendable {
    private let path: String
    private let queue: DispatchQueue
    private let handler: @Sendable () -> Void
    // Used on the queue only.
    nonisolated(unsafe) private var source: (any DispatchSourceFileSystemObject)?
    nonisolated(unsafe) private var number: ino_t = 0

    init(_ path: String, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      self.path = path
      self.queue = queue
      self.handler = handler
    }

    func watch() {
      queue.async { self.watchNow() }
    }

    private func watchNow() {
      var status = stat()
      guard stat(path, &status) == 0, source == nil || status.st_ino != number else { return }
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      source?.cancel()
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: .attrib, queue: queue)
      source.setEventHandler(handler: handler)
      source.setCancelHandler { close(descriptor) }
      source.activate()
      self.source = source
      number = status.st_ino
    }

    func end() {
      queue.async {
        self.source?.cancel()
        self.source = nil
      }
    }
  }
#endif
