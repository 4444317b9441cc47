/// A to-many value, optional or not, that can tell what turns another into it.
protocol ElementComparing {
  /// The removals and insertions, in this order, or one replacement; empty where nothing differs, nil
  /// where the elements cannot be compared.
  static func changes(
    from old: Self, to new: Self
  ) -> [KeyValueObservedChange<any CapturedValue>]?
}
