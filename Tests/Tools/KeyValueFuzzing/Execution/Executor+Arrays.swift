import KeyValueObserving

// Observing the elements of an array.
extension Executor {
  func registerAll(_ registration: Registration, on objects: [Int]) {
    guard case .observer(let number, let context) = registration.form,
      !lostObservers.contains(number)
    else { return }
    let kept = Kept(objects.compactMap { node($0) })
    let who = FuzzObserver.who(number, context, registration.path)
    let isNew = scripts[who] == nil
    if isNew { scripts[who] = registration.script }
    for id in objects {
      observerRegistrations.append(registration.of(id))
    }
    let wasBusy = !busyObservers.insert(number).inserted
    reportingErrors {
      do {
        try add(observer(number), context, registration, to: objects.compactMap { node($0) })
      } catch {
        if isNew { scripts[who] = nil }
        throw error
      }
    }
    if !wasBusy { busyObservers.remove(number) }
    kept.letGo()
  }

  private func add(
    _ observer: FuzzObserver, _ context: Int, _ registration: Registration, to nodes: [FuzzNode]
  ) throws {
    try nodes.addObserver(
      observer, toObjectsAt: RangeSet(nodes.indices), forKeyPath: registration.path,
      options: registration.options, context: UnsafeMutableRawPointer(bitPattern: context))
  }

  func removeAll(_ number: Int, from objects: [Int], _ path: String, context: Int) {
    guard !lostObservers.contains(number) else { return }
    let nodes = objects.compactMap { node($0) }
    reportingErrors {
      try nodes.removeObserver(
        observer(number), fromObjectsAt: RangeSet(nodes.indices), forKeyPath: path,
        context: UnsafeMutableRawPointer(bitPattern: context))
    }
  }
}
