// Manual pairs and recursion are tracked per thread (Parity M1, N9). Neither the standard library
// nor Synchronization identifies the current thread; the C library does.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WinSDK)
  import WinSDK
#endif

/// The current thread's identity; two calls return equal identities exactly if the same live thread
/// makes them.
struct ThreadIdentity: Hashable, Sendable {
  private let value: UInt

  static var current: ThreadIdentity {
    #if canImport(WinSDK)
      ThreadIdentity(value: UInt(GetCurrentThreadId()))
    #elseif canImport(Darwin) || canImport(Musl)
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #elseif canImport(Glibc) || canImport(Android)
      // Bionic's is signed, and negative where an address of 32 bits is a high one.
      ThreadIdentity(value: UInt(truncatingIfNeeded: pthread_self()))
    #else
      ThreadIdentity(value: 0)  // a platform without threads
    #endif
  }
}
