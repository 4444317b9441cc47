import CGtk4
import KeyValueObserving

@MainActor @KeyValueObservable
final class Person {
  var name: String
  var age: Int

  init(_ name: String, _ age: Int) {
    self.name = name
    self.age = age
  }
}

@MainActor @KeyValueObservable
final class Company {
  var people: [Person]

  init(_ count: Int) {
    people = (0..<count).map { Person(Company.name($0), $0) }
  }

  /// A name whose place in an order isn't its number's.
  static func name(_ number: Int) -> String { "\(number * 7_919 % 10_007) person" }
}

/// The shortest time of a body in 15 runs, which other work on the machine disturbs least.
@MainActor func fastest(_ body: () -> Void) -> Duration {
  var best = Duration.seconds(3_600)
  for _ in 0..<15 { best = min(best, ContinuousClock().measure(body)) }
  return best
}

extension Duration {
  /// The time of one of several steps, in nanoseconds.
  func nanoseconds(of steps: Int) -> Double {
    let (seconds, attoseconds) = components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(steps)
  }
}

/// Prints a line of the table.
@MainActor func row(_ what: String, _ gtk: Double, _ ours: Double, _ note: String = "") {
  func text(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: "\(Int(nanoseconds.rounded())) ns"
    case ..<1e6: "\((nanoseconds / 1e2).rounded() / 10) µs"
    default: "\((nanoseconds / 1e5).rounded() / 10) ms"
    }
  }
  let ratio = (ours / gtk * 100).rounded() / 100
  print("| \(what) | \(text(gtk)) | \(text(ours)) | \(ratio)\(note) |")
}

extension OpaquePointer {
  var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension UnsafeMutablePointer {
  var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension UnsafeMutableRawPointer {
  func cast<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    assumingMemoryBound(to: type)
  }
}
