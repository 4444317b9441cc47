import KeyValueCallSites
import KeyValueObserving
import Testing

@KeyValueObservable
final class Traveller {
  var age = 36
  var name = "Ada"
  var stops: [Int] = []
  @KeyValueIgnored
  private var kelvin = 0.0

  /// A key whose setter is written by hand.
  @NotifiesManually
  var warmth: Double {
    get { kelvin }
    set {
      withChange(of: \.warmth) { kelvin = newValue }
    }
  }

  /// The property is changed here, not where this is called.
  func celebrate() { age += 1 }
  static let celebrationLine = #line - 1

  static let settingLine = #line + 2
  var birthYear: Int {
    set { age = 2026 - newValue }
    get { 2026 - age }
  }
}

/// Whether each function that has been called, and has not returned, is on the stack: optimized code jumps
/// to a function that it calls last.
var hasAllFrames: Bool {
  #if DEBUG
    true
  #else
    false
  #endif
}

/// What happens in the closure while call sites are recorded.
func recorded(_ body: () throws -> Void) rethrows -> KeyValueTrace {
  KeyValueTrace.recordCallSites()
  return try KeyValueTrace.recording(body)
}

extension KeyValueTrace {
  /// The places of the changes, without the file's name.
  var changeLines: [Int?] { events.filter { $0.kind == .changeBegan }.map { $0.place?.line } }
}
