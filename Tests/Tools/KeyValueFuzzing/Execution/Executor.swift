import KeyValueObserving

/// Runs a program with the library.
final class Executor {
  private let log = HistoryLog()

  private var held: [Int: FuzzNode] = [:]
  private var known: [Int: WeakNode] = [:]
  private var tokens: [Int: KeyValueObservation] = [:]
  private(set) lazy var owners = Owners { [unowned self] in note(.answered("o\($0) died")) }
  let badges = Pool<FuzzBadge>()
  let coins = Pool<FuzzCoin>()
  var bindings: [Int: KeyValueBinding] = [:]
  var recorders: [Int: KeyValueChangeRecorder] = [:]
  private var usedTokens: Set<Int> = []
  /// Tokens whose registration hasn't returned yet, and those of them that have been ended meanwhile.
  private var registering: Set<Int> = []
  private var cancelled: Set<Int> = []
  private var observers: [Int: FuzzObserver] = [:]
  private(set) var lostObservers: Set<Int> = []
  /// Observers that are being registered on an array of objects.
  var busyObservers: Set<Int> = []
  /// Objects that were ever in a set or dictionary, whose elements are released in no order; these stay held.
  var wereInGroup: Set<Int> = []
  var observerRegistrations: [Registration] = []
  var scripts: [String: [Int: Operation]] = [:]
  private var calls: [String: Int] = [:]

  private struct WeakNode {
    weak var node: FuzzNode?
  }

  init() {}

  func note(_ occurrence: Occurrence) { log.note(occurrence) }

  /// The object with that number, if it's alive.
  func node(_ id: Int) -> FuzzNode? { known[id]?.node }

  func isHeld(_ id: Int) -> Bool { held[id] != nil }

  var living: [FuzzNode] { known.keys.sorted().compactMap { node($0) } }

  // MARK: Steps

  /// `inspect` is called after each step, and with -1 before the objects are taken apart.
  func run(_ program: Program, inspect: (Int) -> Void = { _ in }) -> [Occurrence] {
    HistoryLog.catchesViolations
    HistoryLog.$current.withValue(log) {
      for (index, operation) in program.operations.enumerated() {
        note(.step(index))
        perform(operation)
        inspect(index)
      }
      finish(inspect)
    }
    return log.all
  }

  func perform(_ operation: Operation) {
    switch operation {
    case .create(let id) where FuzzBadge.isBadge(id):
      badges.create(id) { FuzzBadge($0) { [unowned self] in note(.died($0)) } }
    case .create(let id) where FuzzCoin.isCoin(id):
      coins.create(id) { FuzzCoin($0) { [unowned self] in note(.died($0)) } }
    case .drop(let id) where FuzzBadge.isBadge(id): badges.drop(id)
    case .drop(let id) where FuzzCoin.isCoin(id):
      if !wereInGroup.contains(id) { coins.drop(id) }
    case .mutate(let id, let mutation) where FuzzBadge.isBadge(id):
      if let badge = badge(id) { mutate(badge, mutation) }
    case .mutate(let id, let mutation) where FuzzCoin.isCoin(id):
      if let coin = coins[id] { mutate(coin, mutation) }
    case .create(let id):
      guard known[id] == nil else { return }
      let node = FuzzNode.make(id) { [unowned self] in note(.died($0)) }
      held[id] = node
      known[id] = WeakNode(node: node)
    case .drop(let id):
      // Released after the access to `held`: a handler that notices the death may drop other objects.
      let dropped = wereInGroup.contains(id) ? nil : held.removeValue(forKey: id)
      withExtendedLifetime(dropped) {}
    case .register(let registration):
      if let node = node(registration.object) { register(registration, on: node) }
    case .end(let token, let byDropping):
      if registering.contains(token) { cancelled.insert(token) }
      if byDropping {
        tokens[token] = nil
        bindings[token] = nil
      } else {
        tokens[token]?.invalidate()
        bindings[token]?.invalidate()
      }
    case .remove(let observer, let object, let path, let context):
      if let node = node(object) { remove(observer, from: node, path, context) }
    case .dropObserver(let observer):
      guard !busyObservers.contains(observer) else { return }
      if observers.removeValue(forKey: observer) != nil { lostObservers.insert(observer) }
    case .registerAll(let registration, let objects): registerAll(registration, on: objects)
    case .removeAll(let observer, let objects, let path, let context):
      removeAll(observer, from: objects, path, context: context)
    case .dropOwner(let owner): owners.drop(owner)
    case .dropController(let owner): owners.dropController(of: owner)
    case .unobserve(let owner, let scope): unobserve(owner, scope)
    case .mutate(let id, let mutation):
      if let node = node(id) { mutate(node, mutation) }
    case .will(let id, let key):
      guard let node = node(id) else { return }
      node.willChangeValue(forKey: key)
    case .did(let id, let key):
      guard let node = node(id) else { return }
      node.didChangeValue(forKey: key)
    case .read(let id, let path):
      guard let node = node(id) else { return }
      reportingErrors { note(.answered("\(FuzzValue(try node.value(forKeyPath: path)))")) }
    case .transaction(let batch): run(batch)
    case .bind(let binding): bind(binding)
    case .record(let recorder, let object, let key): record(recorder, object, key)
    case .undo(let recorder): takeBack(recorder) { try $0.undo() }
    case .redo(let recorder): takeBack(recorder) { try $0.redo() }
    }
  }

  func reportingErrors(_ body: () throws -> Void) {
    do {
      try body()
    } catch let error as KeyValueCodingError {
      note(.answered(error.caseName))
    } catch let error as KeyValueLogError {
      note(.answered(error.caseName))
    } catch {
      note(.answered("\(error)"))
    }
  }

  // MARK: Registering

  private func register(_ registration: Registration, on node: FuzzNode) {
    switch registration.form {
    case .observer(let number, let context):
      guard !lostObservers.contains(number) else { return }
      let observer = observer(number)
      let who = FuzzObserver.who(number, context, registration.path)
      let isNew = scripts[who] == nil
      if isNew { scripts[who] = registration.script }
      observerRegistrations.append(registration)
      reportingErrors {
        do {
          try node.addObserver(
            observer, forKeyPath: registration.path, options: registration.options,
            context: UnsafeMutableRawPointer(bitPattern: context))
        } catch {
          if isNew { scripts[who] = nil }
          throw error
        }
      }
    case .typed, .string, .owner:
      let token = registration.token
      guard beginToken(token) else { return }
      if case .owner(let owner, _) = registration.form {
        scripts["t\(token) \(registration.path)"] = registration.script
        return register(registration, on: node, for: owner)
      }
      let who = "t\(token) \(registration.path)"
      scripts[who] = registration.script
      reportingErrors { tokens[token] = try observe(registration, node, who) }
      if endRegistering(token) { tokens[token]?.invalidate() }
    }
  }

  /// Claims a token's number, which is then registering; false if the number is taken.
  func beginToken(_ token: Int) -> Bool {
    guard usedTokens.insert(token).inserted else { return false }
    registering.insert(token)
    return true
  }

  /// Whether the token was ended before its registration returned.
  func endRegistering(_ token: Int) -> Bool {
    registering.remove(token)
    return cancelled.remove(token) != nil
  }

  private func observe(
    _ registration: Registration, _ node: FuzzNode, _ who: String
  ) throws -> KeyValueObservation {
    if registration.form == .typed, let typed = TypedPaths.table[registration.path] {
      guard let last = registration.lastCall else {
        return typed.observe(node, registration.options, who) { [unowned self] in heard(who, $0) }
      }
      return typed.until(node, registration.options, who) { [unowned self] told in
        heard(who, told, hasEnoughAt: last)
      }
    }
    guard let last = registration.lastCall else {
      return try node.observe(registration.path, options: registration.options) {
        [unowned self] object, change in
        heard(who, change.told(who, object))
      }
    }
    return try node.kvo(registration.path).observe(
      options: registration.options,
      until: { [unowned self] object, change in
        heard(who, change.told(who, object), hasEnoughAt: last)
      })
  }

  func observer(_ number: Int) -> FuzzObserver {
    if let observer = observers[number] { return observer }
    let observer = FuzzObserver(number) { [unowned self] who, told in heard(who, told) }
    observers[number] = observer
    return observer
  }

  private func remove(_ number: Int, from node: FuzzNode, _ path: String, _ context: Int?) {
    guard !lostObservers.contains(number) else { return }
    let observer = observer(number)
    reportingErrors {
      if let context {
        try node.removeObserver(
          observer, forKeyPath: path, context: UnsafeMutableRawPointer(bitPattern: context))
      } else {
        try node.removeObserver(observer, forKeyPath: path)
      }
    }
  }

  func heard(_ who: String, _ told: Occurrence) { _ = heard(who, told, hasEnoughAt: .max) }

  /// Whether this is the last call that the handler wants.
  private func heard(_ who: String, _ told: Occurrence, hasEnoughAt last: Int) -> Bool {
    note(told)
    let call = calls[who, default: 0] + 1
    calls[who] = call
    if let action = scripts[who]?[call] { perform(action) }
    return call >= last
  }

  // MARK: The end

  /// Records the final state, then takes everything apart.
  private func finish(_ inspect: (Int) -> Void) {
    note(.step(-1))
    inspect(-1)
    dropRecorders()
    let alive = known.keys.sorted().filter { node($0) != nil }
    for id in alive {
      guard let node = node(id) else { continue }
      let values = ReferenceKey.storedOrder.compactMap { key in
        ReferenceKey.of(id, key).map { _ in "\(key) \(value(of: node, key))" }
      }
      note(.state("n\(id): " + values.joined(separator: ", ")))
      note(.state("n\(id) observed: \(node.observationInfo.map(\.keyPath))"))
    }
    for badge in badges.living {
      note(
        .state(
          "n\(badge.serial): count \(badge.count), bearer \(FuzzValue(badge.bearer)), "
            + "notes \(FuzzValue(try? badge.value(forKey: "notes")))"))
    }
    for coin in coins.living {
      note(.state("n\(coin.serial): face \(coin.face), owner \(FuzzValue(coin.owner))"))
    }
    endAll()
    for id in alive where lostObservers.isEmpty {
      let isIdle = node(id)?._$kvoWithRegistrar { $0.isIdle } ?? true
      note(.state("n\(id) idle: \(isIdle)"))
    }
    for badge in badges.living where lostObservers.isEmpty {
      note(.state("n\(badge.serial) idle: \(badge._$kvoWithRegistrar { $0.isIdle })"))
    }
    for coin in coins.living where lostObservers.isEmpty {
      note(.state("n\(coin.serial) idle: \(coin._$kvoWithRegistrar { $0.isIdle })"))
    }
    takeApart(alive)
    owners.dropAll()
    for id in held.keys.sorted() { held[id] = nil }
    FuzzBadge.serials.forEach(badges.drop)
    FuzzCoin.serials.forEach(coins.drop)
    let left = known.keys.sorted().filter { node($0) != nil }
    note(.state("alive: \(left + badges.living.map(\.serial) + coins.living.map(\.serial))"))
  }

  private func value(of node: FuzzNode, _ key: String) -> FuzzValue {
    do {
      return FuzzValue(try node.value(forKey: key))
    } catch {
      return .other("\(error)")
    }
  }

  private func endAll() {
    tokens.values.forEach { $0.invalidate() }
    bindings.values.forEach { $0.invalidate() }
    owners.unobserveAll()
    for registration in observerRegistrations {
      guard case .observer(let number, _) = registration.form, let observer = observers[number],
        let node = node(registration.object)
      else { continue }
      // Most registrations are removed already, so errors are ignored.
      try? node.removeObserver(observer, forKeyPath: registration.path)
    }
  }

  /// Breaks cycles of objects, which would otherwise leak.
  private func takeApart(_ ids: [Int]) {
    let kept = Kept(ids.compactMap { node($0) } + badges.living + coins.living)
    for id in ids { takeApart(id) }
    kept.letGo()
  }

  private func takeApart(_ id: Int) {
    node(id)?.letGoOfObjects()
  }
}
