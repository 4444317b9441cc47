/// Chooses what the page receives if there is more than it can show.
enum Sampling {
  /// Chooses cascades.
  ///
  /// It chooses all of them if their spans fit. Otherwise it chooses the one with the most spans, then as many of
  /// those with a violation, and then as many others, as there is room for, spread evenly. Cascades are taken as a
  /// whole, so every cause shown is complete.
  ///
  /// - Parameters:
  ///   - sizes: How many spans of each cascade would be sent.
  ///   - isImportant: Whether each cascade is chosen before others.
  ///   - budget: How many spans to send; a single cascade that exceeds it is sent alone.
  /// - Returns: The indexes of the chosen cascades, ascending.
  static func choose(sizes: [Int], isImportant: [Bool], budget: Int) -> [Int] {
    guard sizes.reduce(0, +) > budget else { return Array(sizes.indices) }
    var room = budget
    var chosen: Set<Int> = []
    func take(_ index: Int) {
      if chosen.insert(index).inserted { room -= sizes[index] }
    }
    func takeEvenly(_ indexes: [Int]) {
      // As many as fit if all have the mean size; the next ones get the room that remains.
      let mean = max(1, indexes.reduce(0) { $0 + sizes[$1] } / max(1, indexes.count))
      let step = max(1, indexes.count / max(1, room / mean))
      for start in 0..<step where room > 0 {
        for place in stride(from: start, to: indexes.count, by: step)
        where sizes[indexes[place]] <= room { take(indexes[place]) }
      }
    }
    if let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) { take(largest) }
    takeEvenly(sizes.indices.filter { isImportant[$0] })
    takeEvenly(Array(sizes.indices))
    return chosen.sorted()
  }
}
