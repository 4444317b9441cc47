// A change of the counts of one progress and of all its ancestors. The state is under `Progress.lock`.
extension Progress {
  /// Changes the counts, and announces what differs in this progress and in its ancestors.
  func change(_ body: (Progress) -> Void) {
    // The first pass finds what will differ; the second makes the change after that was announced.
    let (planned, ancestors) = Progress.lock.withLock {
      let saved = chain.map { ($0, $0.state, $0.known) }
      let keys = apply(body, to: saved.map(\.0))
      for (progress, state, known) in saved { (progress.state, progress.known) = (state, known) }
      return (keys, saved.map(\.0))
    }
    for (progress, keys) in planned {
      for key in keys { progress.willChangeValue(forKey: key) }
    }
    let (made, presentAncestors) = Progress.lock.withLock {
      let chain = chain
      return (apply(body, to: chain), chain)
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
    // Another thread may have released one meanwhile, and its deinitialiser may read a progress.
    withExtendedLifetime((ancestors, presentAncestors)) {}
  }

  /// This progress and its ancestors.
  var chain: [Progress] { Array(sequence(first: self) { $0.parent }) }

  /// Changes the first of a chain, makes each parent recount its child, and returns the keys that differ.
  private func apply(
    _ body: (Progress) -> Void, to chain: [Progress]
  ) -> [(Progress, [String])] {
    let old = chain.map { ($0.state, $0.state.fraction.double) }
    for (index, progress) in chain.enumerated() {
      if index == 0 { body(progress) } else { progress.count(chain[index - 1]) }
      progress.known = (progress.state.fraction, progress.state.isFinished)
    }
    return zip(chain, old).compactMap { progress, old in
      let keys = progress.state.keys(since: old.0, progress.state.fraction.double, old.1)
      return keys.isEmpty ? nil : (progress, keys)
    }
  }

  /// Counts a child that has finished as completed units of this progress.
  private func count(_ child: Progress) {
    guard child.known.isFinished,
      let index = state.children.firstIndex(where: { $0.progress === child })
    else { return }
    state.complete(state.children.remove(at: index).portion)
  }
}
