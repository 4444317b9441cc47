#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Prints events as the environment variable `KVO_TRACE` requests, without changes to the program.
///
/// The variable is read once, when the first class is observed or accessed by key.
enum EnvironmentTrace {
  /// Begins tracing if the variable requests it; later calls do nothing.
  static func begin() { _ = sink }

  private static let sink: TraceSink? = {
    guard let request = variable.flatMap(TraceRequest.init) else { return nil }
    return Tracer.begin(PrintingSink(request))
  }()

  private static var variable: String? {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      getenv("KVO_TRACE").map { String(cString: $0) }
    #else
      nil
    #endif
  }
}

/// What `KVO_TRACE` requests: `1`, a file, classes and keys, separated by commas.
struct TraceRequest: Equatable, Sendable {
  /// The file to append to, recognised by a slash in its path; nil for standard error.
  var file: String?
  /// Classes and their key paths, `Person` or `Person.fullName`; none means all.
  var subjects: [String] = []

  func includes(_ event: KeyValueTrace.Event) -> Bool {
    if subjects.isEmpty { return true }
    let (name, subject) = (event.object?.className ?? "", event.subject)
    return subjects.contains { $0 == name || $0 == subject }
  }
}

extension TraceRequest {
  /// Nil if the text is empty or `0`, which requests nothing.
  init?(_ text: String) {
    let parts = text.split(separator: ",").map(String.init)
    guard !parts.isEmpty, parts != ["0"] else { return nil }
    for part in parts {
      if part.contains("/") {
        file = part
      } else if part != "1" {
        subjects.append(part)
      }
    }
  }
}

/// Writes events as lines.
private final class PrintingSink: TraceSink, @unchecked Sendable {
  // Checked by hand: constants.
  private let request: TraceRequest
  /// Nil for standard error.
  private let descriptor: Int32?

  init(_ request: TraceRequest) {
    self.request = request
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      descriptor = request.file.flatMap { file in
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        if descriptor < 0 {
          StandardError.report("KVO_TRACE: \(file) can't be opened, so events are printed here.\n")
        }
        return descriptor < 0 ? nil : descriptor
      }
    #else
      descriptor = nil
    #endif
  }

  override func receive(_ event: KeyValueTrace.Event) {
    guard request.includes(event) else { return }
    let line = "kvo \(event.thread): \(event.line)\n"
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      if let descriptor {
        _ = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        return
      }
    #endif
    StandardError.report(line)
  }
}
