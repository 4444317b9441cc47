#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(ucrt)
  import ucrt
#endif

/// The process's error output.
package enum StandardError {
  package static func report(_ text: String) {
    #if os(Windows)
      for byte in text.utf8 { fputc(Int32(byte), __acrt_iob_func(2)) }
    #else
      // Unbuffered: C's `stderr` is a global variable, which Swift 6 rejects as shared state.
      _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    #endif
  }
}
