#if canImport(Combine) || OpenCombine
  import KeyValueCore
  import Synchronization

  /// A subscription without its subscriber's type, which needn't be Sendable.
  protocol Pump: AnyObject, Sendable {
    /// Passes pending elements on, up to the demand; does nothing if that's already in progress.
    func pump()
  }

  /// A subscription: passes elements on as far as they're demanded.
  ///
  /// Mutable state and its guard: `state`, under `lock`. Subscriber calls and the release of
  /// elements happen outside it. One thread at a time passes elements on; other threads set
  /// `hasNews` for it.
  // Checked by hand: `state` is accessed only under `lock`; one thread at a time calls the
  // subscriber, as Combine requires.
  final class Conduit<Downstream: Subscriber>: Subscription, Pump, @unchecked Sendable
  where Downstream.Failure == Never {
    private struct State {
      var downstream: Downstream?
      var source: StreamSource<Downstream.Input>?
      var demand = Subscribers.Demand.none
      var isPumping = false
      var hasNews = false
    }

    /// The next step.
    private enum Step {
      case receive(Downstream.Input, Downstream)
      case finish
      case stop
    }

    private let lock = UnfairLock()
    private var state = State()

    init(_ downstream: Downstream) {
      state.downstream = downstream
    }

    /// Begins to observe, and passes the subscription to the subscriber.
    func start(
      _ observe: (@escaping @Sendable () -> Void) -> StreamSource<Downstream.Input>?
    ) {
      // The subscriber gets its subscription before any element and before the end.
      lock.withLock { state.isPumping = true }
      weak let conduit: (any Pump)? = self
      let source = observe { conduit?.pump() }
      let downstream = lock.withLock {
        state.source = source ?? .refused("")
        return state.downstream
      }
      downstream?.receive(subscription: self)
      lock.withLock { state.isPumping = false }
      pump()
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { state.demand += demand }
      pump()
    }

    func cancel() {
      _ = end()
    }

    /// Releases both sides; returns the subscriber unless the subscription has already ended.
    private func end() -> Downstream? {
      let (source, downstream) = lock.withLock {
        let last = (state.source, state.downstream)
        state.source = nil
        state.downstream = nil
        return last
      }
      source?.invalidate()
      source?.broadcast.cancel(0)
      return downstream
    }

    func pump() {
      let isFirst = lock.withLock {
        state.hasNews = true
        guard !state.isPumping else { return false }
        state.isPumping = true
        return true
      }
      guard isFirst else { return }
      while true {
        switch next() {
        case .receive(let element, let downstream):
          let further = downstream.receive(element)
          lock.withLock { state.demand += further }
        case .finish:
          // Cancelling ends the source too, but isn't a completion.
          end()?.receive(completion: .finished)
        case .stop:
          return
        }
      }
    }

    private func next() -> Step {
      while true {
        let (source, downstream, isWanted) = lock.withLock {
          state.hasNews = false
          return (state.source, state.downstream, state.demand > .none)
        }
        if let source, let downstream {
          if source.broadcast.isAtEnd(0) { return .finish }
          if isWanted, let element = source.broadcast.take(0) {
            lock.withLock { state.demand -= 1 }
            return .receive(element, downstream)
          }
        }
        let isDone = lock.withLock {
          // An element may have arrived since the last check.
          guard !state.hasNews else { return false }
          state.isPumping = false
          return true
        }
        if isDone { return .stop }
      }
    }
  }

  extension Conduit: CustomStringConvertible {
    var description: String {
      "KeyValueSubscription(\(lock.withLock { state.source }?.keyPath ?? "ended"))"
    }
  }
#endif
