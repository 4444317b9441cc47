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

  /// A key with a handwritten setter.
  @NotifiesManually
  var warmth: Double {
    get { kelvin }
    set {
      withChange(of: \.warmth) { kelvin = newValue }
    }
  }

  /// Changes the property on the line that the place must name.
  func celebrate() { age += 1 }
  static let celebrationLine = #line - 1

  static let settingLine = #line + 2
  var birthYear: Int {
    set { age = 2026 - newValue }
    get { 2026 - age }
  }
}

/// Forwards to a property of its name.
struct TravellerForm {
  let traveller: Traveller

  static let settingLine = #line + 3
  var age: Int {
    get { traveller.age }
    nonmutating set { traveller.age = newValue }
  }
}

/// Whether every function that hasn't returned has a frame on the stack: optimized code replaces the
/// frame of a function whose last statement is a call.
var hasAllFrames: Bool {
  #if DEBUG
    true
  #else
    false
  #endif
}

/// Records the trace of a closure, with call sites.
func recorded(_ body: () throws -> Void) rethrows -> KeyValueTrace {
  KeyValueTrace.recordCallSites()
  return try KeyValueTrace.recording(body)
}

extension KeyValueTrace {
  /// The line of each change.
  var changeLines: [Int?] { events.filter { $0.kind == .changeBegan }.map { $0.place?.line } }
}
