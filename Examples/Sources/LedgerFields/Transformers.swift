import KeyValueObserving
import LedgerModel

// Between the model's values and the texts of fields. Parsing may fail, showing does not.

extension KeyValueTransformer where Input == Int, Output == String {
  /// Cents, as `12.50`.
  static var amount: Self {
    Self(forward: { Amount.text($0) }, backward: { try Amount.cents($0) })
  }
}

extension KeyValueTransformer where Input == Int?, Output == String {
  /// Cents or none; an empty text is none.
  static var optionalAmount: Self {
    Self(
      forward: { $0.map(Amount.text) ?? "" },
      backward: { $0.isEmpty ? nil : try Amount.cents($0) })
  }
}

extension KeyValueTransformer where Input == String, Output == String {
  static var text: Self { Self(forward: { $0 }, backward: { $0 }) }
}
