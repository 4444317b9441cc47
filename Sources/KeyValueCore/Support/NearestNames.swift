/// The names that a misspelt one probably means, best first.
func nearest(to name: String, among candidates: [String]) -> [String] {
  let limit = max(1, name.count / 3)
  return
    candidates
    .filter { $0 != name }
    .map { (distance: editDistance(name.lowercased(), $0.lowercased()), name: $0) }
    .filter { $0.distance <= limit }
    .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    .prefix(2)
    .map(\.name)
}

/// The number of insertions, removals, replacements and swaps of neighbours between two strings.
private func editDistance(_ a: String, _ b: String) -> Int {
  let a = Array(a)
  let b = Array(b)
  var beforePrevious: [Int] = []
  var previous = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, beforePrevious[j - 1] + 1)
      }
      row.append(best)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[b.count]
}
