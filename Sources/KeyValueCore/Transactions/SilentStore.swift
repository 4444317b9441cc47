// Storing a value as if no code of the class's ran: without accessors, announcements and property observers. Only
// Observation is notified.

extension Property {
  /// Stores a value that `captureStored(from:)` copied, without the property's `willSet` and `didSet`.
  ///
  /// It announces nothing, except to Observation. A property whose accessors the macro hasn't written is set by its
  /// setter. It traps if the property is being modified in place.
  func storeSilently(
    _ value: any CapturedValue, in object: any KeyValueObservable, isTracked: Bool = true
  ) {
    guard let valueStorage else { return set(value, of: object) }
    object._$kvoWithRegistrar { $0.access(id) }
    // Storing must not be what releases the present value: its `deinit` might set this property.
    let present = valueStorage.isTrivial ? nil : valueStorage.captureStored(object)
    if valueStorage.hasPropertyObservers {
      silently(object) { valueStorage.store(value, in: object, isTracked: isTracked) }
    } else {
      valueStorage.store(value, in: object, isTracked: isTracked)
    }
    withExtendedLifetime(present) {}
  }

  /// Changes the elements of what is stored, without the class's accessors and property observers.
  func editSilently(_ edit: Edit, in object: any KeyValueObservable) {
    guard let valueStorage else { return mutate(object, edit) }
    guard canMutateStorage(of: object) else {
      return storeSilently(valueStorage.captureStored(object, after: [edit]), in: object)
    }
    // Released after the change, as above.
    let leaving = edit.kind == .insertion ? nil : edit.leaving(captureStored(from: object))
    silently(object) {
      object._$kvoWithRegistrar { $0.modifyStorage(id, of: object) { mutate(object, edit) } }
    }
    withExtendedLifetime(leaving) {}
  }

  private func silently(_ object: any KeyValueObservable, _ body: () -> Void) {
    let context = ThreadContext.ofThisThread
    let outer = context.silentStore
    ThreadActivity.begin()
    context.silentStore = PropertyPlace(of: object, id: id)
    body()
    context.silentStore = outer
    ThreadActivity.end()
  }
}
