/// A class whose keys also take values that don't convert exactly.
package protocol LenientConversion {
  /// The value for a key of a type that can't represent it exactly; nil if the key can't take it.
  func converted(_ value: Any, to type: Any.Type) -> Any?
}
