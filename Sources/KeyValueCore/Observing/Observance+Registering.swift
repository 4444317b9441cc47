/// Attaches an observance to the objects on its path.
extension Observance {
  /// Makes a registration for each element; if one throws, those before it end.
  package static func allOrNone<Element>(
    _ elements: some Sequence<Element>, _ register: (Element) throws -> Observance
  ) throws -> [Observance] {
    var begun: [Observance] = []
    do {
      for element in elements { begun.append(try register(element)) }
    } catch {
      for observance in begun { observance.end() }
      throw error
    }
    return begun
  }

  /// Attaches to a path of the object and, with `initial`, delivers the initial change.
  @usableFromInline
  func register(on object: any KeyValueObservable) throws {
    #if DEBUG || KVO_AUDIT
      let (_, recording) = try ReadRecording.record { try attach(to: object) }
      defer { DependencyAudit.registered(self, on: object, recording) }
    #else
      try attach(to: object)
    #endif
    detachIfEnded()
    if !ThreadContext.isQuiet, let thread = Tracer.thread {
      return traceRegistration(on: object, thread)
    }
    if options.contains(.initial) { deliverValue(of: object) }
  }

  /// Traces the registration; the initial call is nested in it.
  private func traceRegistration(on object: any KeyValueObservable, _ thread: ThreadTrace) {
    let described = Tracer.note(object, of: number)
    // Another thread may have ended the observance in the meantime.
    if !isActive { Tracer.forgetObject(of: number) }
    let id = thread.enter(.registered) { event in
      tell(&event)
      event.object = described
    }
    if options.contains(.initial) {
      thread.next.isInitial = true
      deliverValue(of: object)
    }
    thread.leave(id)
  }

  private func attach(to object: any KeyValueObservable) throws {
    let schema = object.schema
    if let property = path.knownProperty(in: schema) {
      return attach(to: property, of: object, in: schema)
    }
    guard let start = try path.start(on: object) else { return }
    let (property, traits, isWholePath) = (start.property, start.traits, start.isWholePath)
    if isWholePath, traits.dependencies.isEmpty, property.ownership != .weak {
      attach(to: property, of: object, in: schema)
      path.remember(property, of: schema)
    } else {
      let tree = HopTree(
        root: object, observance: self, soleProperty: isWholePath ? property : nil)
      attach(through: tree)
      try tree.attach(property, of: object)
    }
  }
}

extension ObservedPath {
  /// The start of a path on an object.
  fileprivate struct Start {
    let property: Property
    let traits: KeyTraits
    /// Whether the property is the whole path.
    let isWholePath: Bool
  }

  fileprivate func start(on object: any KeyValueObservable) throws -> Start? {
    try keys.checkOperators()
    let schema = object.schema
    guard let property = try firstProperty(of: object, in: schema) else { return nil }
    let isWholePath =
      keys.count == 1 && !hasTail && (leafType ?? property.valueType) == property.valueType
    return Start(
      property: property, traits: schema.traits(of: property), isWholePath: isWholePath)
  }

  /// Throws the errors that registering the path would throw, by walking the objects that are on it now.
  func check(on object: any KeyValueObservable) throws {
    guard let start = try start(on: object) else { return }
    if leadsThroughSingleObjects(from: object, start) { return }
    let observance = Observance(self, options: []) { _, _, _ in }
    let trial = HopTree(
      root: object, observance: observance,
      soleProperty: start.isWholePath ? start.property : nil, isTrial: true)
    try withExtendedLifetime(observance) {
      try trial.attach(start.property, of: object)
      trial.detach()
    }
  }

  /// Whether the path leads from one object to another, and ends in a key.
  private func leadsThroughSingleObjects(
    from object: any KeyValueObservable, _ start: Start
  ) -> Bool {
    guard members.isEmpty, start.traits.dependencies.isEmpty else { return false }
    var (object, property) = (object, start.property)
    for key in keys.dropFirst() {
      guard let next = property.observedObject(of: object), let next,
        let nextProperty = next.schema.property(key.name), mayReach(nextProperty),
        next.schema.traits(of: nextProperty).dependencies.isEmpty
      else { return false }
      (object, property) = (next, nextProperty)
    }
    return true
  }
}
