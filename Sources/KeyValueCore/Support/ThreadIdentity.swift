// Manual pairs are matched per thread and recursion is counted per thread (Parity M1, N9). Neither
// the standard library nor Synchronization names the current thread, so the C library is asked.
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

/// Which thread is running; equal for two calls exactly when they are made by the same live thread.
struct ThreadIdentity: Hashable, Sendable {
  private let value: UInt

  static var current: ThreadIdentity {
    #if canImport(WinSDK)
      ThreadIdentity(value: UInt(GetCurrentThreadId()))
    #elseif canImport(Darwin)
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
      ThreadIdentity(value: UInt(pthread_self()))
    #else
      ThreadIdentity(value: 0)  // a platform without threads
    #endif
  }
}
