#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// One object for each thread that asks, created on first use.
///
/// On platforms with pthreads, it's stored in the thread and released when the thread ends. Elsewhere it's
/// stored in a locked table.
// Checked by hand: the key never changes, and each thread reaches only its own object.
struct ThreadLocal<Object: AnyObject>: @unchecked Sendable {
  private let make: @Sendable () -> Object

  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let key: pthread_key_t

    init(_ make: @escaping @Sendable () -> Object) {
      self.make = make
      var key = pthread_key_t()
      let status = pthread_key_create(&key) { object in
        #if canImport(Darwin)
          Unmanaged<AnyObject>.fromOpaque(object).release()
        #else
          if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
        #endif
      }
      precondition(status == 0, "The process has no key for thread-specific data left.")
      self.key = key
    }

    /// The thread's object; nil if it has none yet.
    var known: Object? {
      pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The thread's object.
    var value: Object {
      if let known { return known }
      let object = make()
      pthread_setspecific(key, Unmanaged.passRetained(object as AnyObject).toOpaque())
      return object
    }
  #else
    private let table = Table()

    private final class Table: Sendable {
      let objects = LockedValue<[ThreadIdentity: Held]>([:])
    }

    // Checked by hand: each thread reaches only its own object.
    private struct Held: @unchecked Sendable {
      let object: Object
    }

    init(_ make: @escaping @Sendable () -> Object) {
      self.make = make
    }

    var known: Object? { table.objects.withLock { $0[.current] }?.object }

    var value: Object {
      if let known { return known }
      let object = make()
      let held = Held(object: object)
      table.objects.withLock { $0[.current] = held }
      return object
    }
  #endif
}
