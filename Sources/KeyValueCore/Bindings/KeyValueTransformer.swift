/// Two functions that convert between the values of a binding's two sides.
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
/// Either function may throw if it can't convert a value. They needn't be exact inverses: a binding
/// never sends a change back. A transformer is `Sendable`, so a global `let` may hold it.
public struct KeyValueTransformer<Input, Output>: Sendable {
  /// From the source's value to the target's.
  public let forward: @Sendable (Input) throws -> Output
  /// From the target's value to the source's.
  public let backward: @Sendable (Output) throws -> Input

  /// Creates a transformer from two functions.
  public init(
    forward: @escaping @Sendable (Input) throws -> Output,
    backward: @escaping @Sendable (Output) throws -> Input
  ) {
    self.forward = forward
    self.backward = backward
  }

  /// The transformer in the other direction.
  public var inverted: KeyValueTransformer<Output, Input> {
    KeyValueTransformer<Output, Input>(forward: backward, backward: forward)
  }
}

extension KeyValueTransformer: CustomStringConvertible {
  /// The types: `KeyValueTransformer(Int <-> String)`.
  public var description: String { "KeyValueTransformer(\(Input.self) <-> \(Output.self))" }
}

/// The two functions of one binding, which needn't be Sendable.
struct BindingConversion<Input, Output> {
  /// From the source's value to the target's.
  let forward: (Input) throws -> Output
  /// From the target's value to the source's; never called by a one-way binding.
  let backward: (Output) throws -> Input
}

extension BindingConversion {
  init(_ transformer: KeyValueTransformer<Input, Output>) {
    self.init(forward: transformer.forward, backward: transformer.backward)
  }

  static func oneWay(_ transform: @escaping (Input) throws -> Output) -> BindingConversion {
    BindingConversion(
      forward: transform,
      backward: { _ in preconditionFailure("A one-way binding passes nothing back.") })
  }
}

extension BindingConversion where Input == Output {
  static var identity: BindingConversion {
    BindingConversion(forward: { $0 }, backward: { $0 })
  }
}

extension BindingConversion where Input == Output? {
  /// Replaces nil with a placeholder.
  static func placeholder(_ placeholder: Output) -> BindingConversion {
    BindingConversion(forward: { $0 ?? placeholder }, backward: { .some($0) })
  }
}
