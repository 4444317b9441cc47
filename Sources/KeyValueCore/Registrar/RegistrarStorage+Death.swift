extension RegistrarStorage {
  /// Ends what observed the object, and tells those whose path led through it.
  ///
  /// Called when the object's registrar is destroyed, after the `deinit` of its class and with the
  /// object out of everybody's reach.
  func objectDied() {
    let (watches, openPairs) = close()
    for id in openPairs {
      KeyValueViolation.report(
        .tolerated,
        "An object of \(schema.name) died with willChangeValue(forKey: "
          + "\"\(schema.property(id: id)?.key ?? "?")\") called and didChangeValue not. "
          + "Call both, or use withChange(of:_:).")
    }
    for watch in watches where watch.hop?.parent == nil { watch.observance.end() }
    let bereaved = watches.filter { watch in
      guard let hop = watch.hop, let tree = watch.observance.tree else { return false }
      return watch.observance.isActive && tree.objectDied(at: hop)
    }
    var last: Observance?
    for watch in bereaved.sorted(by: { $0.observance.sequence < $1.observance.sequence })
    where watch.observance !== last {
      last = watch.observance
      guard let root = watch.observance.root else { continue }
      watch.observance.deliverUnannounced(of: root, isMaintained: true)
    }
  }
}
