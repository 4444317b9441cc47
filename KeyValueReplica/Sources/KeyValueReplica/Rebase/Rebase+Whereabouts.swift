@_spi(Replication) import KeyValueCore

// Objects that both sides take from one list or set to another.
extension Rebase {
  func whereabouts(_ record: KeyValueTransactionRecord) -> Whereabouts {
    Whereabouts(record) { place, name in
      let name = name ?? (state.objects[place.id] ?? base.objects[place.id])?.class
      return switch model.kind(place.key, in: name) {
      case .ordered, .unordered: true
      default: false
      }
    }
  }

  /// Decides about the objects that a transaction puts into lists and sets, before its edits are made again.
  ///
  /// Where the transaction that took an object out was rejected, this one is built on it. Where the other writer has
  /// put the object elsewhere, both have moved it, which is a conflict: it would be there twice.
  mutating func place(_ whereabouts: Whereabouts, _ step: inout RebaseStep) {
    for id in whereabouts.objects {
      let arrivals = whereabouts.arrivals(of: id)
      let isMade = step.makes(id)
      let departures = whereabouts.departures(of: id)
      guard
        isMade || remote.arrivals[id] != nil || remains.mentions(id)
          || departures.contains(where: { step.surviving.contains($0.place.id) })
      else { continue }
      for (place, count) in departures {
        let staying = count - leaving(id, from: place, step)
        if staying > 0 { remains.leave(id, from: place, count: staying) }
      }
      if isMade {
        remains.make(
          id, isThere: state.objects[id] != nil, arrivals: arrivals.reduce(0) { $0 + $1.count })
      }
      for (place, count) in arrivals {
        for _ in 0..<count { arrive(id, at: place, &step) }
      }
    }
  }

  /// How often a transaction's edits take an object out of a place now.
  private func leaving(
    _ id: KeyValueObjectID, from place: Place, _ step: RebaseStep
  ) -> Int {
    let present = count(id, in: state.elements(at: place))
    let edits = step.record.edits.filter { Place($0) == place }
    let isWhole = edits.contains { if case .set = $0 { true } else { false } }
    if edits.isEmpty { return step.surviving.contains(place.id) ? 0 : present }
    // Edits of a list that isn't known aren't made.
    if !isWhole, lost[place] != nil { return 0 }
    guard !isWhole, var track = remote.tracks[place] else { return present }
    for edit in edits { _ = track.redo(edit) }
    return max(0, present - count(id, in: track.mergedValues))
  }

  private func count(_ id: KeyValueObjectID, in elements: [KeyValueLogValue]?) -> Int {
    (elements ?? []).count { $0 == .reference(id) }
  }

  private mutating func arrive(_ id: KeyValueObjectID, at place: Place, _ step: inout RebaseStep) {
    let cause = remains.arrive(id)
    // Where the transaction makes an object that is there, the other's values stay.
    if step.makes(place.id), state.objects[place.id] != nil { return }
    switch cause {
    case nil: break
    case .rejected(let cause):
      step.isRejected = true
      step.conflicts.append(
        conflict(
          place.id, place.key, mine: .reference(id), theirs: nil, builtOn: cause, step))
    case .theirs(let left):
      let places = left.union(remote.arrivals[id] ?? []).filter {
        count(id, in: state.elements(at: $0)) > 0
      }
      if places.isEmpty || places.contains(place) { break }
      let theirs = state.objects[place.id]?.values[place.key]
      switch resolve(place, mine: .reference(id), theirs: theirs, &step) {
      case .mine: step.takenAway += places.sorted().map { ($0, id) }
      case .theirs:
        step.keptOut[place, default: []].insert(.reference(id))
        remains.withhold(id, from: place, isIn: places)
      // A value of the one place doesn't say what becomes of the other.
      case .reject, .value: step.isRejected = true
      }
    }
  }

  /// Takes objects out of where the other writer has put them, since they are where this side does.
  mutating func takeAway(_ step: inout RebaseStep) {
    for (place, id) in step.takenAway {
      let element = KeyValueLogValue.reference(id)
      guard let elements = state.elements(at: place) else { continue }
      guard kind(place) == .ordered else {
        push(.subtract(place.id, key: place.key, elements: [element]), &step)
        continue
      }
      guard
        let index = remote.tracks[place]?.takeOut(element)
          ?? elements.firstIndex(of: element)
      else { continue }
      push(
        .remove(
          place.id, key: place.key, indexes: RangeSet(index..<index + 1), elements: [element]),
        &step)
    }
  }
}
