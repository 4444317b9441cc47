import KeyValueObserving

/// Carries out a program by the documented rules, slowly: it recomputes every observed value, and everything
/// that an observance depends on, whenever it matters.
///
/// Where the rules leave something open, the reference does what the library does; `Freedoms.swift` lists
/// these cases.
final class Reference {
  let world = World()
  private(set) var history: [Occurrence] = []
  /// A deliberate mistake, by which tests show that differences are detected.
  let flaw: Flaw?

  /// All observances ever registered, in order.
  var observances: [Observance] = []
  private var held: Set<Int> = []
  var heldObservers: Set<Int> = []
  var lostObservers: Set<Int> = []
  /// Observers that are being registered on an array of objects.
  var busyObservers: Set<Int> = []
  private var usedTokens: Set<Int> = []
  /// Objects that were ever in a set or dictionary, whose elements are released in no order; these stay held.
  var wereInGroup: Set<Int> = []
  var scripts: [String: [Int: Operation]] = [:]
  private var calls: [String: Int] = [:]
  /// Mutations between `will` and `did`, innermost last.
  var changes: [Change] = []
  /// Open manual pairs.
  var pairs: [(site: Site, change: Change)] = []
  /// The open transaction.
  var transaction: OpenTransaction?
  var owners: [Int: Owner] = [:]
  var recorders: [Int: Recorder] = [:]
  /// How many changes recorders have recorded.
  var stepCount = 0
  /// The number of the wave in which bindings are passing changes on; 0 if there is none.
  var wave = 0
  /// The number of waves so far.
  var waveCount = 0

  final class Observance {
    let registration: Registration
    let path: FuzzPath
    var isActive = true
    /// Whether the registering call hasn't returned yet.
    var isRegistering = true
    /// Whether its token was ended before the registration returned.
    var isCancelled = false
    /// What a binding does instead of notifying an observer, while its other side is alive.
    ///
    /// The argument is whether the call comes at the end of a transaction.
    var passOn: ((Bool) -> Void)?
    var partner: Int?
    /// The recorder that the observance belongs to, which hears of each change at once.
    var recorder: Recorder?

    init(_ registration: Registration) {
      self.registration = registration
      path = FuzzPath(registration.path, isTyped: registration.isTyped)
    }

    var root: Int { registration.object }
    var options: KeyValueObservingOptions { registration.options }
    var token: Int? { registration.hasToken ? registration.token : nil }
    var owner: Int? {
      if case .owner(let number, _) = registration.form { number } else { nil }
    }
    var observer: (number: Int, context: Int)? {
      if case .observer(let number, let context) = registration.form {
        (number, context)
      } else {
        nil
      }
    }
    var who: String {
      observer.map { "w\($0.number)(\($0.context)) \(path.string)" }
        ?? "t\(registration.token) \(path.string)"
    }
  }

  init(flaw: Flaw? = nil) {
    self.flaw = flaw
    world.objectWillDie = { [unowned self] id in note(.died(id)) }
    world.objectDied = { [unowned self] id in objectDied(id) }
  }

  func note(_ occurrence: Occurrence) {
    history.append(occurrence)
  }

  // MARK: Steps

  func run(_ program: Program) -> [Occurrence] {
    for (index, operation) in program.operations.enumerated() {
      note(.step(index))
      perform(operation)
    }
    finish()
    return history
  }

  func perform(_ operation: Operation) {
    switch operation {
    case .create(let id):
      guard !world.isKnown(id) else { return }
      world.create(id)
      world.retain(id)
      held.insert(id)
    case .drop(let id):
      guard !wereInGroup.contains(id), held.remove(id) != nil else { return }
      world.release(id)
    case .register(let registration):
      guard world.isAlive(registration.object) else { return }
      register(registration)
    case .end(let token, _):
      for observance in observances where observance.token == token {
        if observance.isRegistering { observance.isCancelled = true } else { end(observance) }
      }
    case .remove(let observer, let object, let path, let context):
      guard world.isAlive(object), !lostObservers.contains(observer) else { return }
      heldObservers.insert(observer)
      remove(observer, object, path, context)
    case .dropObserver(let observer):
      guard !busyObservers.contains(observer) else { return }
      if heldObservers.remove(observer) != nil { lostObservers.insert(observer) }
    case .registerAll(let registration, let objects): registerAll(registration, on: objects)
    case .removeAll(let observer, let objects, let path, let context):
      removeAll(observer, from: objects, path, context: context)
    case .dropOwner(let number): dropOwner(number)
    case .dropController(let number): dropController(of: number)
    case .unobserve(let number, let scope): unobserve(number, scope)
    case .mutate(let id, let mutation):
      guard world.isAlive(id) else { return }
      pinning([id]) { mutate(id, mutation) }
    case .will(let id, let key):
      guard world.isAlive(id) else { return }
      pinning([id]) { beginPair(Site(object: id, key: key)) }
    case .did(let id, let key):
      guard world.isAlive(id) else { return }
      pinning([id]) { endPair(Site(object: id, key: key)) }
    case .read(let id, let path):
      guard world.isAlive(id) else { return }
      let path = FuzzPath(path, isTyped: false)
      guard path.keys.isEmpty || ReferenceKey.of(id, path.keys[0]) != nil else {
        return note(.answered("undefinedKey"))
      }
      note(.answered("\(world.value(id, path))"))
    case .transaction(let batch): perform(batch)
    case .bind(let binding): bind(binding)
    case .record(let recorder, let object, let key): record(recorder, object, key)
    case .undo(let recorder): takeBack(recorder, from: \.undoLevels, to: \.redoLevels)
    case .redo(let recorder): takeBack(recorder, from: \.redoLevels, to: \.undoLevels)
    }
  }

  func beginPair(_ site: Site) {
    let change = begin(site, .setting, isAutomatic: false, isPair: true)
    pairs.append((site, change))
    changes.removeAll { $0 === change }
  }

  func endPair(_ site: Site) {
    guard let index = pairs.lastIndex(where: { $0.site == site }) else {
      return note(.violation(.tolerated))
    }
    finish(pairs.remove(at: index).change)
  }

  /// Keeps objects alive, as the caller of a method does.
  func pinning(_ ids: [Int], owner: Int? = nil, _ body: () -> Void) {
    ids.forEach(world.retain)
    if let owner { owners[owner]?.holders += 1 }
    body()
    if let owner { release(owner: owner) }
    ids.forEach(world.release)
  }

  func isHeld(_ id: Int) -> Bool { held.contains(id) }

  // MARK: Registering

  private func register(_ registration: Registration) {
    let observance = Observance(registration)
    if let observer = observance.observer {
      guard !lostObservers.contains(observer.number) else { return }
      heldObservers.insert(observer.number)
    } else {
      guard beginToken(registration.token) else { return }
    }
    if let owner = observance.owner { return register(observance, of: owner) }
    add(observance)
  }

  /// Claims a token's number; false if the number is taken.
  func beginToken(_ token: Int) -> Bool { usedTokens.insert(token).inserted }

  @discardableResult
  func add(_ observance: Observance) -> Bool {
    let registration = observance.registration
    guard knowsKey(of: observance) else { return false }
    if scripts[observance.who] == nil { scripts[observance.who] = registration.script }
    observances.append(observance)
    if observance.options.contains(.initial) {
      pinning([observance.root]) {
        let new = observance.options.contains(.new) ? value(of: observance) : nil
        let held = new.map(World.objects) ?? []
        pinning(held) { tell(observance, .setting, old: nil, new: new) }
      }
    }
    observance.isRegistering = false
    if observance.isCancelled { end(observance) }
    return true
  }

  /// Whether the object has the path's first key; notes the error if it hasn't.
  func knowsKey(of observance: Observance) -> Bool {
    let keys = observance.path.keys
    if keys.isEmpty || ReferenceKey.of(observance.root, keys[0]) != nil { return true }
    note(.answered("undefinedKey"))
    return false
  }

  private func remove(_ observer: Int, _ object: Int, _ path: String, _ context: Int?) {
    let found = observances.first {
      $0.isActive && $0.root == object && $0.path.string == path
        && $0.observer?.number == observer && (context == nil || $0.observer?.context == context)
    }
    if let found { end(found) } else { note(.answered("notRegistered")) }
  }

  func end(_ observance: Observance) { observance.isActive = false }

  func isAlive(_ observance: Observance) -> Bool {
    guard observance.isActive else { return false }
    if let partner = observance.partner { return world.isAlive(partner) }
    if let owner = observance.owner, flaw != .noOwnersDeath { return isOwnerAlive(owner) }
    return observance.observer.map { !lostObservers.contains($0.number) } ?? true
  }

  // MARK: Notifying

  func value(of observance: Observance) -> FuzzValue {
    // A maintained aggregate takes a change into account when the change is complete (see Freedoms).
    let isUnsettled =
      observance.path.hasOperator
      && changes.contains { $0.attached[ObjectIdentifier(observance)] != nil }
    return isUnsettled ? .unsettled : world.value(observance.root, observance.path)
  }

  func tell(
    _ observance: Observance, _ kind: KeyValueChangeKind, old: FuzzValue?, new: FuzzValue?,
    at indexes: [Int]? = nil, isPrior: Bool = false, isDeferred: Bool = false
  ) {
    guard observance.isActive, world.isAlive(observance.root) else { return }
    guard isAlive(observance) else { return end(observance) }
    // A change that wasn't announced beforehand can't be undone.
    if observance.recorder != nil { return }
    if let passOn = observance.passOn {
      return pinning([observance.root, observance.partner].compactMap(\.self)) {
        passOn(isDeferred)
      }
    }
    pinning([observance.root], owner: observance.owner) {
      note(
        .change(
          .init(
            who: observance.who, object: observance.root, kind: kind,
            old: observance.options.contains(.old) ? old : nil,
            new: observance.options.contains(.new) && !isPrior ? new : nil,
            indexes: indexes, isPrior: isPrior)))
      calls[observance.who, default: 0] += 1
      let call = calls[observance.who] ?? 0
      if let action = scripts[observance.who]?[call] { perform(action) }
      if flaw != .noLastCall, let last = observance.registration.lastCall, call >= last {
        end(observance)
      }
    }
  }

  // MARK: The end

  /// Records the final state, then takes everything apart.
  private func finish() {
    note(.step(-1))
    dropRecorders()
    for id in world.alive {
      let values = ReferenceKey.storedOrder.compactMap { key in
        ReferenceKey.of(id, key).map { _ in "\(key) \(world.value(id, key))" }
      }
      note(.state("n\(id): " + values.joined(separator: ", ")))
      if FuzzBadge.isBadge(id) || FuzzCoin.isCoin(id) { continue }
      let registered = observances.filter { isAlive($0) && $0.root == id }.map(\.path.string)
      note(.state("n\(id) observed: \(registered)"))
    }
    for observance in observances {
      end(observance)
      observance.passOn = nil  // a bond and its observances hold each other
    }
    for id in world.alive {
      // The registration of an observer that died is removed when there is next something to deliver.
      let isBusy = pairs.contains { $0.site.object == id }
      if lostObservers.isEmpty { note(.state("n\(id) idle: \(!isBusy)")) }
    }
    let all = world.alive
    pinning(all) {
      for id in all {
        world.store(.none, id, "next")
        world.store(.none, id, "link")
        world.store(.none, id, "badge")
        for key in ["coin", "crew"] { world.store(.none, id, key) }
        for key in ["items", "staff", "coins"] { world.store(.list([]), id, key) }
        for key in ["group", "purse"] { world.store(.bag([]), id, key) }
        for key in ["folder", "index"] { world.store(.map([:]), id, key) }
      }
    }
    for number in owners.keys.sorted() { dropOwner(number) }
    for id in held.sorted() { world.release(id) }
    note(.state("alive: \(world.alive)"))
  }
}
