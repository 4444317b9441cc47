/// What `/proc/meminfo` says, in bytes.
package struct MemoryInfo: Equatable {
  package var total: Int?
  package var available: Int?
  package var swapTotal: Int?
  package var swapFree: Int?

  package init(_ text: [UInt8]) {
    let lines = KeyedLines(text)
    total = lines.bytes("MemTotal")
    // Kernels before 3.14 do not estimate what is available; this is what they made tools add up.
    available =
      lines.bytes("MemAvailable")
      ?? sum(sum(lines.bytes("MemFree"), lines.bytes("Buffers")), lines.bytes("Cached"))
    swapTotal = lines.bytes("SwapTotal")
    swapFree = lines.bytes("SwapFree")
  }
}
