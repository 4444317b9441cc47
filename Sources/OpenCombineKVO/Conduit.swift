#if canImport(Combine) || OpenCombine
  import KeyValueCore
  import Synchronization

  /// A subscription without the type of its subscriber, which need not be safe to share.
  protocol Pump: AnyObject, Sendable {
    /// Hands on what there is and is asked for.
    func pump()
  }

  /// One subscription: it takes elements as far as they are asked for and hands them on.
  ///
  /// Mutable state and its guard: `state`, under `lock`. The subscriber is called, and elements die,
  /// without it. One thread at a time hands on; whoever comes meanwhile leaves it a note.
  // Checked by hand: `state` is touched only under `lock`; the subscriber is called by one thread at a
  // time, as Combine asks.
  final class Conduit<Downstream: Subscriber>: Subscription, Pump, @unchecked Sendable
  where Downstream.Failure == Never {
    private struct State {
      var downstream: Downstream?
      var source: StreamSource<Downstream.Input>?
      var demand = Subscribers.Demand.none
      var isPumping = false
      var hasNews = false
    }

    /// What to do next.
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

    /// Begins to observe, and makes itself known to the subscriber.
    func start(
      _ observe: (@escaping @Sendable () -> Void) -> StreamSource<Downstream.Input>?
    ) {
      // Nothing is asked for yet, and no end is told before the subscriber knows its subscription.
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

    /// Lets go of both sides; answers the subscriber, unless somebody has ended the subscription before.
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

    /// Hands on what there is and is asked for; does nothing while that is going on already.
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
          // Cancelling ends the source too, and is no completion.
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
          if isWanted, case .element(let element) = source.broadcast.take(0) {
            lock.withLock { state.demand -= 1 }
            return .receive(element, downstream)
          }
        }
        let isDone = lock.withLock {
          // What came since it was looked for must not be left lying.
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
