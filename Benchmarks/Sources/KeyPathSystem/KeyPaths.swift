import BenchmarkSupport

// W12 through Swift's own key paths, which the compiler checks, so there is no look-up.

private final class Leaf {
  var c = 7
}
private final class Middle {
  var b = Leaf()
}
private final class Root {
  var a = Middle()
}

@inline(never) private func value(_ leaf: Leaf, _ path: KeyPath<Leaf, Int>) -> Any? {
  leaf[keyPath: path]
}
@inline(never) private func set(
  _ leaf: Leaf, _ value: Int, _ path: ReferenceWritableKeyPath<Leaf, Int>
) {
  leaf[keyPath: path] = value
}
@inline(never) private func value(_ root: Root, _ path: KeyPath<Root, Int>) -> Any? {
  root[keyPath: path]
}

private let name = "Swift KeyPath"

/// The workloads of Swift's own key paths.
public let keyPathContenders: [Contender] = [
  Contender(.valueForKey, name) { operations, tally in
    let leaf = Leaf()
    var sum = 0
    let time = nanoseconds {
      for _ in 0..<operations { sum &+= value(leaf, \.c) as? Int ?? 0 }
    }
    tally.checksum = sum
    return time
  },
  Contender(.setValueForKey, name) { operations, tally in
    let leaf = Leaf()
    let time = nanoseconds { for step in 1...operations { set(leaf, step, \.c) } }
    tally.checksum = leaf.c
    return time
  },
  Contender(.valueForKeyPath, name) { operations, tally in
    let root = Root()
    var sum = 0
    let time = nanoseconds {
      for _ in 0..<operations { sum &+= value(root, \.a.b.c) as? Int ?? 0 }
    }
    tally.checksum = sum
    return time
  },
]
