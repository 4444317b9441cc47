#if canImport(Dispatch)
  import Dispatch
#endif

/// Where the handler of an observation is called: on the main actor, on an actor, on a queue, or at once.
///
/// ```swift
/// let observation = person.kvo.name.observe(options: .new, on: .mainActor) { change in
///   label.text = change.newValue ?? ""
/// }
/// ```
///
/// It is written as the `on:` argument of `observe(options:on:changeHandler:)`, and decides with it
/// what the handler looks like and where it is isolated, which the compiler checks.
public struct KeyValueDelivery<Value: Sendable, Handler>: Sendable, CustomStringConvertible {
  enum Route {
    case immediate(@Sendable (KeyValueObservedChange<Value>) -> Void)
    case queued(
      isAlive: @Sendable () -> Bool, schedule: @Sendable (DeliveryQueue<Value>) -> Void)
  }

  /// As it is written: `mainActor`, `actor(History)`, `queue(label)` or `immediate`.
  public let description: String
  let route: @Sendable (Handler) -> Route

  private init(_ description: String, route: @escaping @Sendable (Handler) -> Route) {
    self.description = description
    self.route = route
  }
}

extension KeyValueDelivery
where Handler == @MainActor @Sendable (KeyValueObservedChange<Value>) -> Void {
  /// The main actor.
  ///
  /// Delivery is asynchronous also when the change is made there.
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
  /// An actor, which is held weakly and handed to the handler; the observation ends with it.
  ///
  /// Delivery is asynchronous also when the change is made there.
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
          if destination.actor == nil { queue.discard() }
        }
      }
    }
  }

  /// Drains once; the actor is not held any longer than that.
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
  /// At once, on the thread that makes the change, as without `on:`; the object alone is not handed in.
  public static var immediate: Self {
    Self("immediate") { handler in .immediate(handler) }
  }

  #if canImport(Dispatch)
    /// A dispatch queue, serial or concurrent.
    ///
    /// One call at a time is made for one observation, so the order is kept on a concurrent queue too.
    /// Delivery is asynchronous also when the change is made on the queue.
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
