import BenchmarkSupport

// W6: a path of three properties; its observer follows when an object in the path is replaced.
// Unsupported: locking, nil or a released object in the path, ending the observation, and any other path.

final class Leaf {
  var c = 0 {
    didSet { for (_, observer) in observers { observer(oldValue, c) } }
  }
  private var observers: [(id: ObjectIdentifier, observer: (Int, Int) -> Void)] = []

  init(_ c: Int = 0) { self.c = c }

  func observe(_ owner: AnyObject, _ observer: @escaping (Int, Int) -> Void) {
    observers.append((ObjectIdentifier(owner), observer))
  }
  func remove(_ owner: AnyObject) { observers.removeAll { $0.id == ObjectIdentifier(owner) } }
}

final class Middle {
  var b: Leaf {
    didSet { for (_, observer) in observers { observer(oldValue, b) } }
  }
  private var observers: [(id: ObjectIdentifier, observer: (Leaf, Leaf) -> Void)] = []

  init(_ b: Leaf) { self.b = b }

  func observe(_ owner: AnyObject, _ observer: @escaping (Leaf, Leaf) -> Void) {
    observers.append((ObjectIdentifier(owner), observer))
  }
  func remove(_ owner: AnyObject) { observers.removeAll { $0.id == ObjectIdentifier(owner) } }
}

final class Root {
  var a: Middle {
    didSet { for observer in observers { observer(oldValue, a) } }
  }
  private var observers: [(Middle, Middle) -> Void] = []

  init(_ a: Middle) { self.a = a }

  func observe(_ observer: @escaping (Middle, Middle) -> Void) { observers.append(observer) }
}

/// Calls a closure with the old and the new value of `root.a.b.c`.
final class PathObserver {
  private let handler: (Int, Int) -> Void

  init(_ root: Root, _ handler: @escaping (Int, Int) -> Void) {
    self.handler = handler
    root.observe { [unowned self] old, new in
      detach(old)
      attach(new)
      self.handler(old.b.c, new.b.c)
    }
    attach(root.a)
  }

  private func attach(_ middle: Middle) {
    middle.observe(self) { [unowned self] old, new in
      old.remove(self)
      new.observe(self, handler)
      handler(old.c, new.c)
    }
    middle.b.observe(self, handler)
  }

  private func detach(_ middle: Middle) {
    middle.remove(self)
    middle.b.remove(self)
  }
}

@inline(never) func set(_ leaf: Leaf, _ value: Int) { leaf.c = value }
@inline(never) func set(_ middle: Middle, _ leaf: Leaf) { middle.b = leaf }
@inline(never) func set(_ root: Root, _ middle: Middle) { root.a = middle }

let pathContenders: [Contender] = [
  Contender(.setLeaf, System.handWritten) { operations, tally in
    let root = Root(Middle(Leaf()))
    let observer = PathObserver(root) { tally.record(old: $0, new: $1) }
    let leaf = root.a.b
    let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
    withExtendedLifetime(observer) {}
    return time
  },
  Contender(.replaceMiddle, System.handWritten) { operations, tally in
    let leaves = [Leaf(1), Leaf(2)]
    let root = Root(Middle(leaves[0]))
    let observer = PathObserver(root) { tally.record(old: $0, new: $1) }
    let middle = root.a
    let time = nanoseconds { for step in 1...operations { set(middle, leaves[step & 1]) } }
    withExtendedLifetime(observer) {}
    return time
  },
  Contender(.replaceFirst, System.handWritten) { operations, tally in
    let middles = [Middle(Leaf(1)), Middle(Leaf(2))]
    let root = Root(middles[0])
    let observer = PathObserver(root) { tally.record(old: $0, new: $1) }
    let time = nanoseconds { for step in 1...operations { set(root, middles[step & 1]) } }
    withExtendedLifetime(observer) {}
    return time
  },
]
