/// The name that a misspelt one probably means.
///
/// At most `limit` letters may differ; by default a third of them.
func nearestName(to name: String, among candidates: [String], limit: Int? = nil) -> String? {
  let limit = limit ?? max(1, name.count / 3)
  return
    candidates
    .map { (distance: editDistance(name.lowercased(), $0.lowercased()), name: $0) }
    .filter { $0.distance <= limit }
    .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?
    .name
}

/// The number of insertions, removals, replacements and swaps of neighbours between two strings.
private func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left)
  let right = Array(right)
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      var best = min(
        previous[j] + (left[i] == right[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        best = min(best, beforePrevious[j - 1] + 1)
      }
      row.append(best)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[right.count]
}
