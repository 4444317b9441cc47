/// Chooses what the page receives if there is more than it can show.
enum Sampling {
  /// Chooses cascades.
  ///
  /// It chooses all of them if their spans fit. Otherwise it chooses those with a violation, the one with the
  /// most spans, and as many others, spread evenly, as there is room for. Cascades are taken as a whole, so
  /// every cause shown is complete.
  ///
  /// - Parameters:
  ///   - sizes: How many spans of each cascade would be sent.
  ///   - isImportant: Whether each cascade has to be chosen.
  ///   - budget: How many spans to send; a single important cascade may exceed it.
  /// - Returns: The indexes of the chosen cascades, ascending.
  static func choose(sizes: [Int], isImportant: [Bool], budget: Int) -> [Int] {
    guard sizes.reduce(0, +) > budget else { return Array(sizes.indices) }
    var room = budget
    var chosen: Set<Int> = []
    func take(_ index: Int) {
      guard room > 0, chosen.insert(index).inserted else { return }
      room -= sizes[index]
    }
    for index in sizes.indices where isImportant[index] { take(index) }
    if let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) { take(largest) }
    // As many as fit if all have the mean size; the next ones get the room that remains.
    let mean = max(1, sizes.reduce(0, +) / sizes.count)
    let step = max(1, sizes.count / max(1, room / mean))
    for start in 0..<step where room > 0 {
      for index in stride(from: start, to: sizes.count, by: step)
      where sizes[index] <= room { take(index) }
    }
    return chosen.sorted()
  }
}
