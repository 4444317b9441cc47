/// Two functions between the values of two sides of a binding.
///
/// ```swift
/// struct NotANumber: Error {}
/// let digits = KeyValueTransformer<Int, String>(
///   forward: { String($0) },
///   backward: { text in
///     guard let number = Int(text) else { throw NotANumber() }
///     return number
///   })
/// print(try digits.backward("42"))     // 42
/// ```
///
/// Either may throw where there is no such value, and neither has to be the other's exact inverse: a
/// binding never sends back what it has brought.
public struct KeyValueTransformer<Input, Output> {
  /// From the source's value to the target's.
  public let forward: (Input) throws -> Output
  /// From the target's value to the source's.
  public let backward: (Output) throws -> Input

  /// Creates a transformer of two functions.
  public init(
    forward: @escaping (Input) throws -> Output, backward: @escaping (Output) throws -> Input
  ) {
    self.forward = forward
    self.backward = backward
  }

  /// The same transformer, seen from the other side.
  public var inverted: KeyValueTransformer<Output, Input> {
    KeyValueTransformer<Output, Input>(forward: backward, backward: forward)
  }
}

extension KeyValueTransformer: CustomStringConvertible {
  /// The types: `KeyValueTransformer(Int <-> String)`.
  public var description: String { "KeyValueTransformer(\(Input.self) <-> \(Output.self))" }
}

extension KeyValueTransformer where Input == Output {
  static var identity: KeyValueTransformer {
    KeyValueTransformer(forward: { $0 }, backward: { $0 })
  }
}

extension KeyValueTransformer where Input == Output? {
  /// Shows a placeholder where there is no value.
  static func placeholder(_ placeholder: Output) -> KeyValueTransformer {
    KeyValueTransformer(forward: { $0 ?? placeholder }, backward: { .some($0) })
  }
}
