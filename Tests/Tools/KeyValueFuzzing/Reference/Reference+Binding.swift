import KeyValueObserving

// Bindings: a change of one side is passed on to the other side, and its echo is ignored.
extension Reference {
  enum Direction {
    case forward
    case backward
  }

  /// An active binding, and the state of the change that it is passing on.
  final class Bond {
    let binding: Binding
    let path: FuzzPath
    /// The direction in which a change is being passed on.
    var direction: Direction?
    /// Whether the side that is read has changed meanwhile.
    var isStale = false
    /// Whether the change is being passed on for the second, and last, time.
    var isRepeated = false
    /// Whether a value that a validator replaced is being passed back.
    var isReturning = false
    /// The number of the last wave in which it passed a change on.
    var lastWave = 0
    var observances: [Observance] = []

    init(_ binding: Binding) {
      self.binding = binding
      path = FuzzPath(binding.path, isTyped: true)
    }

    var isEnded: Bool { observances.contains { !$0.isActive } }
  }

  func bind(_ binding: Binding) {
    let (source, target) = (binding.source, binding.target)
    guard world.isAlive(source), world.isAlive(target), beginToken(binding.token) else { return }
    let bond = Bond(binding)
    observe(bond, .forward, source, binding.path, partner: target)
    if binding.isTwoWay { observe(bond, .backward, target, binding.key, partner: source) }
    pinning([source, target]) {
      pass(bond, .forward)
      for observance in bond.observances {
        observance.isRegistering = false
        if observance.isCancelled { end(observance) }
      }
    }
  }

  private func observe(
    _ bond: Bond, _ direction: Direction, _ object: Int, _ path: String, partner: Int
  ) {
    let observance = Observance(
      .init(
        token: bond.binding.token, form: .typed, object: object, path: path, options: []))
    observance.partner = partner
    observance.passOn = { [unowned self] isDeferred in
      // A change that the binding itself made in a transaction isn't passed back at the end.
      if isDeferred, direction == .backward, bond.direction == nil, agree(bond) { return }
      pass(bond, direction)
    }
    bond.observances.append(observance)
    observances.append(observance)
  }

  // MARK: Passing on

  /// Whether passing a change on in a direction would set the value that is there.
  private func agree(_ bond: Bond, after direction: Direction = .forward) -> Bool {
    let binding = bond.binding
    guard world.isAlive(binding.source), world.isAlive(binding.target) else { return false }
    let source = world.value(binding.source, bond.path)
    let target = world.value(binding.target, binding.key)
    let (value, other) = direction == .forward ? (source, target) : (target, source)
    return (try? transform(value, binding.transformation, direction)) == other
  }

  /// Runs a passage as part of the wave that is under way, or of a new one.
  private func inWave(_ passage: () -> Void) {
    guard wave == 0 else { return passage() }
    waveCount += 1
    wave = waveCount
    passage()
    wave = 0
  }

  private func pass(_ bond: Bond, _ direction: Direction) {
    if let current = bond.direction {
      if current == direction, !bond.isReturning { bond.isStale = true }
      return
    }
    bond.direction = direction
    bond.isRepeated = false
    inWave {
      repeat {
        let isSecond = bond.isStale
        bond.isStale = false
        bond.isRepeated = isSecond
        passOnce(bond, direction)
      } while bond.isStale && !bond.isRepeated && !bond.isEnded && flaw != .noSecondPass
    }
    bond.isStale = false
    bond.direction = nil
  }

  private func passOnce(_ bond: Bond, _ direction: Direction) {
    let (source, target) = (bond.binding.source, bond.binding.target)
    guard world.isAlive(source), world.isAlive(target) else { return }
    // While an object on the way to the source's key is nil, nothing is passed back.
    if direction == .backward, owner(of: bond.path, from: source) == nil { return }
    let isFirst = bond.lastWave != wave
    bond.lastWave = wave
    if !isFirst, flaw != .everyWay, agree(bond, after: direction) { return }
    pinning([source, target]) {
      do {
        let wasReplaced = try write(bond, direction)
        guard wasReplaced, bond.binding.isTwoWay, !bond.isEnded else { return }
        bond.isReturning = true
        defer { bond.isReturning = false }
        _ = try write(bond, direction == .forward ? .backward : .forward)
      } catch {
        note(.answered("t\(bond.binding.token) refused"))
      }
    }
  }

  /// Sets one side to the transformed value of the other side.
  ///
  /// - Returns: Whether a validator replaced the value.
  private func write(_ bond: Bond, _ direction: Direction) throws -> Bool {
    let binding = bond.binding
    let read =
      direction == .forward
      ? world.value(binding.source, bond.path) : world.value(binding.target, binding.key)
    let value = try transform(read, binding.transformation, direction)
    let (object, path) =
      direction == .forward
      ? (binding.target, FuzzPath(binding.key, isTyped: true)) : (binding.source, bond.path)
    guard let owner = owner(of: path, from: object), let key = path.keys.last else { return false }
    let valid = binding.validates && flaw != .noValidation ? try validated(value, key) : value
    pinning([owner]) { set(owner, key, valid) }
    return valid != value
  }

  /// The object that the last key of a path belongs to.
  private func owner(of path: FuzzPath, from object: Int) -> Int? {
    if path.keys.count == 1 { return object }
    let way = path.keys.dropLast().joined(separator: ".")
    return world.value(object, FuzzPath(way, isTyped: false)).objectNumber
  }

  private func transform(
    _ value: FuzzValue, _ transformation: Transformation, _ direction: Direction
  ) throws -> FuzzValue {
    switch (transformation, direction) {
    case (.plain, _): value == .none ? .int(-1) : value
    case (.lossy, .forward): .int(try Transformation.lossyForward(value.integer))
    case (.lossy, .backward): .int(try Transformation.lossyBackward(value.integer))
    case (.digits, .forward): .text(try Transformation.text(value.integer))
    case (.digits, .backward): .int(try Transformation.number(value.string))
    }
  }

  private func validated(_ value: FuzzValue, _ key: String) throws -> FuzzValue {
    switch key {
    case "width": .int(try Validity.width(value.integer))
    case "text": .text(Validity.text(value.string))
    default: value
    }
  }
}
