// A change of the counts of one progress, which changes those of its ancestors. The state is under `Progress.lock`.
extension Progress {
  /// Changes the counts as they're read, and announces what differs in this progress and in others of the tree.
  func change(_ body: (Progress) -> Void) {
    // First what has finished without notice, because the change is one of the counts that were read.
    if locked({ $0.state.hasForeign }) { changeStored { _ in } }
    changeStored(body)
  }

  private func changeStored(_ body: (Progress) -> Void) {
    // The first pass finds what will differ; the second makes the change after that was announced.
    let (planned, plannedFor) = Progress.lock.withLock {
      let saved = concerned.map { ($0, $0.state, $0.known) }
      let keys = apply(body, to: saved.map(\.0))
      for (progress, state, known) in saved { (progress.state, progress.known) = (state, known) }
      return (keys, saved.map(\.0))
    }
    for (progress, keys) in planned {
      for key in keys { progress.willChangeValue(forKey: key) }
    }
    let (made, madeIn, former) = Progress.lock.withLock {
      let present = concerned
      let states = present.map { $0.state }
      return (apply(body, to: present), present, states)
    }
    for (progress, keys) in planned {
      for key in keys { progress.didChangeValue(forKey: key) }
    }
    // What differs because another thread made a change in between.
    for (progress, keys) in made {
      let told = planned.first { $0.0 === progress }?.1 ?? []
      for key in keys where !told.contains(key) {
        progress.willChangeValue(forKey: key)
        progress.didChangeValue(forKey: key)
      }
    }
    // The change releases finished children, and another thread may have released a progress meanwhile. A
    // deinitialiser may read a progress.
    withExtendedLifetime((plannedFor, madeIn, former)) {}
  }

  /// This progress and its ancestors.
  var chain: [Progress] { Array(sequence(first: self) { $0.parent }) }

  /// The progresses that a change may concern, parts before wholes: this one, its ancestors, and all in the tree
  /// that have a child of Foundation's class below them, which finishes without notice.
  private var concerned: [Progress] {
    var all: [Progress] = []
    var last: Progress?
    for progress in chain {
      progress.append(to: &all, besides: last)
      last = progress
    }
    return all
  }

  private func append(to all: inout [Progress], besides listed: Progress? = nil) {
    if state.hasForeign {
      for child in state.children
      where child.progress !== listed && child.progress.state.hasForeign {
        child.progress.append(to: &all)
      }
    }
    all.append(self)
  }

  /// Changes this progress, makes each one recount its children, and returns the keys that differ.
  private func apply(
    _ body: (Progress) -> Void, to concerned: [Progress]
  ) -> [(Progress, [String])] {
    let old = concerned.map { ($0.state, $0.state.fraction.double) }
    for progress in concerned {
      if progress === self { body(self) }
      progress.state.countFinished()
      progress.known = (progress.state.fraction, progress.state.isFinished)
    }
    return zip(concerned, old).compactMap { progress, old in
      let keys = progress.state.keys(since: old.0, progress.state.fraction.double, old.1)
      return keys.isEmpty ? nil : (progress, keys)
    }
  }
}
