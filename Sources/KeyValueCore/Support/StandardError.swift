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
enum StandardError {
  static func write(_ text: String) {
    #if os(Windows)
      for byte in text.utf8 { fputc(Int32(byte), __acrt_iob_func(2)) }
    #else
      // Unbuffered: C's `stderr` is a global variable, which Swift 6 rejects as shared state.
      let bytes = Array(text.utf8)
      bytes.withUnsafeBytes { buffer in
        #if canImport(Darwin)
          _ = Darwin.write(2, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
          _ = Glibc.write(2, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          _ = Musl.write(2, buffer.baseAddress, buffer.count)
        #elseif canImport(Android)
          _ = Android.write(2, buffer.baseAddress, buffer.count)
        #elseif canImport(WASILibc)
          _ = WASILibc.write(2, buffer.baseAddress, buffer.count)
        #endif
      }
    #endif
  }
}
