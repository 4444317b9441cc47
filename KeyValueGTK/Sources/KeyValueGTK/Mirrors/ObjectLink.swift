import CGtk4
import KeyValueObserving

/// A weak reference that tells when its object dies.
@MainActor @KeyValueObservable
final class ObjectLink {
  private(set) weak var object: (any KeyValueObservable)?
  @KeyValueIgnored private var death: KeyValueObservation?
  @KeyValueIgnored private var handler: (() -> Void)?

  init(_ object: any KeyValueObservable) {
    self.object = object
  }

  /// Calls a closure when the object has died: at once, or soon if it dies on another thread than the main one.
  func whenObjectDies(_ handler: @escaping () -> Void) {
    self.handler = handler
    // The library reports the death of an observable object that's held weakly as a change to nil.
    death = kvo.object.observe { link, _ in
      if kvo_is_main_thread() {
        onMainActor(link) { $0.objectDied() }
      } else {
        g_idle_add(
          { data in
            onMainActor(data) { data in
              data.map { Unmanaged<ObjectLink>.fromOpaque($0).takeRetainedValue().objectDied() }
            }
            return 0
          }, Unmanaged.passRetained(link).toOpaque())
      }
    }
  }

  private func objectDied() {
    guard object == nil, let handler else { return }
    end()
    handler()
  }

  /// Calls nothing any more.
  func end() {
    handler = nil
    // Ended explicitly: the library reports an observation whose token is dropped at once.
    death?.invalidate()
    death = nil
  }
}
