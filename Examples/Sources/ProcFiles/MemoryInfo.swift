/// The content of `/proc/meminfo`, in bytes.
package struct MemoryInfo: Equatable {
  package var total: Int?
  package var available: Int?
  package var swapTotal: Int?
  package var swapFree: Int?

  package init(_ text: [UInt8]) {
    let lines = KeyedLines(text)
    total = lines.bytes("MemTotal")
    // Kernels before 3.14 don't estimate available memory; tools then computed this sum.
    available =
      lines.bytes("MemAvailable")
      ?? sum(sum(lines.bytes("MemFree"), lines.bytes("Buffers")), lines.bytes("Cached"))
    swapTotal = lines.bytes("SwapTotal")
    swapFree = lines.bytes("SwapFree")
  }
}
