/// A list of what is described beside a list of what happened, with as many common lines as possible.
struct Difference {
  /// A line, with its index in the list that it's in; of a common line, in what happened.
  private enum Line {
    case both(Int)
    case described(Int)
    case happened(Int)
  }

  private var lines: [Line] = []

  /// - Parameters:
  ///   - described: How many lines are described.
  ///   - happened: How many lines happened.
  ///   - matches: Whether a described line and one that happened are the same.
  /// - Complexity: O(*d* · *h*), where *d* and *h* are the numbers of lines.
  init(_ described: Int, _ happened: Int, _ matches: (Int, Int) -> Bool) {
    // How many lines the rests of both lists have in common, by where the rests begin.
    var common = [[Int]](
      repeating: [Int](repeating: 0, count: happened + 1), count: described + 1)
    for left in (0..<described).reversed() {
      for right in (0..<happened).reversed() {
        common[left][right] =
          matches(left, right)
          ? common[left + 1][right + 1] + 1 : max(common[left + 1][right], common[left][right + 1])
      }
    }
    var (left, right) = (0, 0)
    while left < described || right < happened {
      if left < described, right < happened, matches(left, right) {
        lines.append(.both(right))
        (left, right) = (left + 1, right + 1)
      } else if left < described,
        right == happened || common[left + 1][right] >= common[left][right + 1]
      {
        lines.append(.described(left))
        left += 1
      } else {
        lines.append(.happened(right))
        right += 1
      }
    }
  }

  /// The lines as text: `-` before those that didn't happen, `+` before those that aren't described.
  func text(
    both: (Int) -> String, described: (Int) -> String, happened: (Int) -> String
  ) -> String {
    lines.map { line in
      switch line {
      case .both(let index): "  \(both(index))"
      case .described(let index): "- \(described(index))"
      case .happened(let index): "+ \(happened(index))"
      }
    }
    .joined(separator: "\n")
  }
}
