#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The unit in which the kernel counts time in the proc file system.
package enum ClockTicks {
  package static let perSecond = max(1, Double(sysconf(CInt(_SC_CLK_TCK))))
}
