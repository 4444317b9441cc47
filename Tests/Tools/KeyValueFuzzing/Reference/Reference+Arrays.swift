import KeyValueObserving

// Observing the elements of an array: all of them or none.
extension Reference {
  func registerAll(_ registration: Registration, on objects: [Int]) {
    guard case .observer(let number, _) = registration.form, !lostObservers.contains(number) else {
      return
    }
    heldObservers.insert(number)
    let wasBusy = !busyObservers.insert(number).inserted
    let alive = objects.filter(world.isAlive)
    pinning(alive) {
      var added: [Observance] = []
      let who = Observance(registration).who
      let isNew = scripts[who] == nil
      if isNew { scripts[who] = registration.script }
      for id in alive {
        let observance = Observance(registration.of(id))
        guard add(observance) else {
          if isNew { scripts[who] = nil }
          if flaw != .noUndoing { added.forEach(end) }
          break
        }
        added.append(observance)
      }
    }
    if !wasBusy { busyObservers.remove(number) }
  }

  func removeAll(_ number: Int, from objects: [Int], _ path: String, context: Int) {
    guard !lostObservers.contains(number) else { return }
    heldObservers.insert(number)
    var found: [Observance] = []
    for id in objects.filter(world.isAlive) {
      let next = observances.first { observance in
        observance.isActive && observance.root == id && observance.path.string == path
          && observance.observer?.number == number && observance.observer?.context == context
          && !found.contains { $0 === observance }
      }
      guard let next else { return note(.answered("notRegistered")) }
      found.append(next)
    }
    found.forEach(end)
  }
}
