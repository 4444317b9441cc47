#if canImport(Dispatch)
  import Dispatch
#endif

/// Where an observation calls its handler: on the main actor, on an actor, on a queue, or at once.
///
/// ```swift
/// let observation = person.kvo.name.observe(options: .new, on: .mainActor) { change in
///   label.text = change.newValue ?? ""
/// }
/// ```
///
/// It's the `on:` argument of `observe(options:on:changeHandler:)` and determines the handler's
/// type and isolation, which the compiler checks.
public struct KeyValueDelivery<Value: Sendable, Handler>: Sendable, CustomStringConvertible {
  /// The destination as written: `mainActor`, `actor(History)`, `queue(label)` or `immediate`.
  public let description: String
  let route: @Sendable (Handler) -> DeliveryRoute<Value>

  private init(
    _ description: String, route: @escaping @Sendable (Handler) -> DeliveryRoute<Value>
  ) {
    self.description = description
    self.route = route
  }
}

/// How an observation's changes reach its handler: at once, or through a queue.
enum DeliveryRoute<Value: Sendable> {
  case immediate(@Sendable (KeyValueObservedChange<Value>) -> Void)
  case queued(
    isAlive: @Sendable () -> Bool, schedule: @Sendable (DeliveryQueue<Value>) -> Void)
}

extension KeyValueDelivery
where Handler == @MainActor @Sendable (KeyValueObservedChange<Value>) -> Void {
  /// The main actor.
  ///
  /// Delivery is asynchronous even if the change is made there.
  public static var mainActor: Self {
    Self("mainActor") { handler in
      .queued(isAlive: { true }) { queue in
        Task { @MainActor in
          while queue.drain({ handler($0) }) { await Task.yield() }
        }
      }
    }
  }
}

private struct WeakActor<Destination: Actor>: Sendable {
  weak let actor: Destination?
}

extension KeyValueDelivery {
  /// An actor, which is held weakly and passed to the handler; the observation ends with it.
  ///
  /// Delivery is asynchronous even if the change is made there.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe(options: .new, on: .actor(history)) { history, change in
  ///   history.ages.append(change.newValue ?? 0)
  /// }
  /// ```
  public static func actor<Destination: Actor>(_ actor: Destination) -> Self
  where Handler == @Sendable (isolated Destination, KeyValueObservedChange<Value>) -> Void {
    let destination = WeakActor(actor: actor)
    return Self("actor(\(name(of: Destination.self)))") { handler in
      .queued(isAlive: { destination.actor != nil }) { queue in
        Task {
          while await drain(queue, on: destination, handler) { await Task.yield() }
          if destination.actor == nil { queue.discard(.observerDied) }
        }
      }
    }
  }

  /// Drains once, and holds the actor only for that.
  private static func drain<Destination: Actor>(
    _ queue: DeliveryQueue<Value>, on destination: WeakActor<Destination>, _ handler: Handler
  ) async -> Bool
  where Handler == @Sendable (isolated Destination, KeyValueObservedChange<Value>) -> Void {
    guard let actor = destination.actor else { return false }
    return await drain(queue, isolatedTo: actor, handler)
  }

  private static func drain<Destination: Actor>(
    _ queue: DeliveryQueue<Value>, isolatedTo destination: isolated Destination, _ handler: Handler
  ) -> Bool
  where Handler == @Sendable (isolated Destination, KeyValueObservedChange<Value>) -> Void {
    queue.drain { handler(destination, $0) }
  }
}

extension KeyValueDelivery
where Handler == @Sendable (KeyValueObservedChange<Value>) -> Void {
  /// At once, on the thread that makes the change, as without `on:`; but the handler doesn't get
  /// the object.
  public static var immediate: Self {
    Self("immediate") { handler in .immediate(handler) }
  }

  #if canImport(Dispatch)
    /// A dispatch queue, serial or concurrent.
    ///
    /// One observation makes one call at a time, so a concurrent queue keeps the order too.
    /// Delivery is asynchronous even if the change is made on the queue.
    public static func queue(_ queue: DispatchQueue) -> Self {
      @Sendable func drain(
        _ changes: DeliveryQueue<Value>,
        _ handler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
      ) {
        queue.async {
          if changes.drain(handler) { drain(changes, handler) }
        }
      }
      return Self("queue(\(queue.label))") { handler in
        .queued(isAlive: { true }) { drain($0, handler) }
      }
    }
  #endif
}
