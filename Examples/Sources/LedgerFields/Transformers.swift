import KeyValueObserving
import LedgerModel

// Between the model's values and the fields' texts. Parsing may fail, showing doesn't.

extension KeyValueTransformer where Input == Int, Output == String {
  /// Cents, as `12.50`.
  static var amount: Self {
    Self(forward: { Amount.text($0) }, backward: { try Amount.cents($0) })
  }
}

extension KeyValueTransformer where Input == Int?, Output == String {
  /// Cents or nil; an empty text is nil.
  static var optionalAmount: Self {
    Self(
      forward: { $0.map(Amount.text) ?? "" },
      backward: { $0.isEmpty ? nil : try Amount.cents($0) })
  }
}

extension KeyValueTransformer where Input == String, Output == String {
  static var text: Self { Self(forward: { $0 }, backward: { $0 }) }
}
