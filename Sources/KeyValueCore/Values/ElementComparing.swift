/// A to-many value, optional or not, that can be compared with another element by element.
protocol ElementComparing {
  /// The removals and insertions, in this order, or one replacement; empty if nothing differs, nil
  /// if the elements can't be compared.
  static func changes(
    from old: Self, to new: Self
  ) -> [KeyValueObservedChange<any CapturedValue>]?
}
