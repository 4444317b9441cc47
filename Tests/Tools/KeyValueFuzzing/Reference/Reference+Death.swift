import KeyValueObserving

extension Reference {
  /// R5, P5: ends the observances of the object, and notifies the paths that led to it through a reference
  /// that doesn't keep it alive.
  func objectDied(_ id: Int) {
    let open = pairs.filter { $0.site.object == id }
    pairs.removeAll { $0.site.object == id }
    // A report keeps nothing alive.
    for pair in open { unpin(pair.change) }
    for _ in open { note(.violation(.tolerated)) }
    for observance in observances where observance.root == id { end(observance) }

    let bereaved = observances.filter { observance in
      guard isAlive(observance), world.isAlive(observance.root),
        !changes.contains(where: { $0.covers(observance) })
      else { return false }
      let links =
        changes.reversed().compactMap { $0.links[ObjectIdentifier(observance)] }.first
        ?? settledLinks(of: observance, dying: id)
      return links.contains {
        $0.target == id && world.isAlive($0.site.object) && !(flaw == .noWeakEnds && $0.isEnd)
      }
    }
    detachFromDead()
    for observance in bereaved where flaw != .noDeaths && !postpone(observance) {
      let new = observance.options.contains(.new) ? value(of: observance) : nil
      let held = new.map(World.objects) ?? []
      pinning(held) { tell(observance, .setting, old: nil, new: new) }
    }
  }

  /// The properties that refer to an object without keeping it alive, except those that are changing or lie
  /// behind a change.
  func settledLinks(of observance: Observance, dying: Int? = nil) -> Set<Reach.Link> {
    Reach(observance.path, of: observance.root, in: world, dying: dying) { [unowned self] site in
      isChanging(site, for: observance)
    }.looseLinks
  }

  /// Whether the observance will be notified of an open change of the property, or of one of its
  /// dependencies; that notification then covers the death, too.
  private func isChanging(_ site: Site, for observance: Observance) -> Bool {
    let sources = ReferenceKey.dependencies(of: site.object, site.key).map {
      Site(object: site.object, key: $0.keys[0])
    }
    return (changes + pairs.map(\.change)).contains { change in
      ([site] + sources).contains(change.site)
        && change.frozen.contains { $0.observance === observance }
    }
  }
}
