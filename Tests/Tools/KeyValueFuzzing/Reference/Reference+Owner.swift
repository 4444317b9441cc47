import KeyValueObserving

// Owners, and the controllers that observe for them.
extension Reference {
  struct Owner {
    /// The number of references that keep it alive: the program's, and those of calls it is passed to.
    var holders = 1
    var isHeld = true
    /// Whether the program, or the owner, still holds the controller.
    var hasController = true
    /// The number of unfinished registrations through the controller, which keep it alive.
    var registrations = 0
  }

  func isOwnerAlive(_ number: Int) -> Bool { owners[number].map { $0.holders > 0 } ?? false }

  func dropOwner(_ number: Int) {
    guard owners[number]?.isHeld == true else { return }
    owners[number]?.isHeld = false
    release(owner: number)
  }

  func release(owner number: Int) {
    owners[number]?.holders -= 1
    guard owners[number]?.holders == 0 else { return }
    note(.answered("o\(number) died"))
    if FuzzOwner.holdsController(number) { letGoOfController(number) }
  }

  func dropController(of number: Int) {
    guard !FuzzOwner.holdsController(number), owners[number] != nil else { return }
    letGoOfController(number)
  }

  private func letGoOfController(_ number: Int) {
    owners[number]?.hasController = false
    if owners[number]?.registrations == 0 { endAll(of: number) }
  }

  private func endAll(of number: Int) {
    for observance in observances where observance.owner == number { end(observance) }
  }

  /// Whether the owner's controller can be reached; creates the owner if it is new.
  private func canSpeak(_ number: Int) -> Bool {
    if owners[number] == nil { owners[number] = Owner() }
    guard let owner = owners[number], owner.hasController else { return false }
    return FuzzOwner.holdsController(number) ? owner.isHeld : true
  }

  func register(_ observance: Observance, of number: Int) {
    // Spelling the path finds an unknown key, before the controller is asked.
    guard canSpeak(number), knowsKey(of: observance), isOwnerAlive(number) else { return }
    let isDuplicate = observances.contains {
      $0.isActive && $0.owner == number && isSamePath($0, observance)
    }
    if isDuplicate, flaw != .noDuplicates { return note(.violation(.tolerated)) }
    owners[number]?.registrations += 1
    add(observance)
    owners[number]?.registrations -= 1
    if owners[number]?.hasController == false, owners[number]?.registrations == 0 {
      endAll(of: number)
    }
  }

  private func isSamePath(_ first: Observance, _ second: Observance) -> Bool {
    first.root == second.root && first.path.keys == second.path.keys
      && first.path.countsValue == second.path.countsValue
  }

  func unobserve(_ number: Int, _ scope: Scope) {
    guard canSpeak(number) else { return }
    for observance in observances where observance.owner == number {
      switch scope {
      case .all: end(observance)
      case .object(let id) where observance.root == id: end(observance)
      case .path(let id, let path)
      where observance.root == id && !observance.path.countsValue
        && observance.path.keys == FuzzPath(path, isTyped: false).keys:
        end(observance)
      case .object, .path: break
      }
    }
  }
}
