import BenchmarkSupport
import KeyValueObserving

// W6: an observed path of three properties.

@KeyValueObservable
final class Leaf {
  var c: Int

  init(_ c: Int = 0) { self.c = c }
}

@KeyValueObservable
final class Middle {
  var b: Leaf

  init(_ b: Leaf) { self.b = b }
}

@KeyValueObservable
final class Root {
  var a: Middle

  init(_ a: Middle) { self.a = a }
}

@inline(never) func set(_ leaf: Leaf, _ value: Int) { leaf.c = value }
@inline(never) func set(_ middle: Middle, _ leaf: Leaf) { middle.b = leaf }
@inline(never) func set(_ root: Root, _ middle: Middle) { root.a = middle }

private func observe(_ root: Root, _ tally: Tally) -> KeyValueObservation {
  root.observe(\.a.b.c, options: [.old, .new]) { _, change in
    tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
  }
}

let pathContenders: [Contender] = [
  Contender(.setLeaf, System.keyValue) { operations, tally in
    let root = Root(Middle(Leaf()))
    let leaf = root.a.b
    let token = observe(root, tally)
    let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
    token.invalidate()
    return time
  },
  Contender(.replaceMiddle, System.keyValue) { operations, tally in
    let leaves = [Leaf(1), Leaf(2)]
    let root = Root(Middle(leaves[0]))
    let middle = root.a
    let token = observe(root, tally)
    let time = nanoseconds { for step in 1...operations { set(middle, leaves[step & 1]) } }
    token.invalidate()
    return time
  },
  Contender(.replaceFirst, System.keyValue) { operations, tally in
    let middles = [Middle(Leaf(1)), Middle(Leaf(2))]
    let root = Root(middles[0])
    let token = observe(root, tally)
    let time = nanoseconds { for step in 1...operations { set(root, middles[step & 1]) } }
    token.invalidate()
    return time
  },
]
