extension IndexSet {
  init(_ indexes: RangeSet<Int>) {
    self = indexes.ranges.reduce(into: IndexSet()) { $0.insert(integersIn: $1) }
  }

  var rangeSet: RangeSet<Int> { RangeSet(rangeView.map { $0 }) }
}
