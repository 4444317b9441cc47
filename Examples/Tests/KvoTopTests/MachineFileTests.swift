import ProcFiles
import Testing

@Suite("Parsing the machine's files: meminfo, stat and loadavg")
struct MachineFileTests {
  @Test("The sizes in meminfo are converted to bytes")
  func memory() {
    let text = """
      MemTotal:       24684096 kB
      MemFree:        23883712 kB
      MemAvailable:   24341740 kB
      SwapTotal:          1024 kB
      SwapFree:              0 kB
      HugePages_Total:       0
      """
    let memory = MemoryInfo(Array(text.utf8))
    #expect(memory.total == 25_276_514_304)
    #expect(memory.available == 24_925_941_760)
    #expect(memory.swapTotal == 1_048_576)
    #expect(memory.swapFree == 0)
  }

  @Test("Without MemAvailable, available memory is the sum of free, buffers and cached")
  func oldMemory() {
    let text = "MemTotal: 100 kB\nMemFree: 10 kB\nBuffers: 20 kB\nCached: 30 kB\n"
    #expect(MemoryInfo(Array(text.utf8)).available == 60 * 1024)
  }

  @Test(
    "Invalid meminfo has no values",
    arguments: ["", "MemTotal:\n", "MemTotal: much\n", "MemTotal"])
  func noMemory(_ text: String) {
    #expect(MemoryInfo(Array(text.utf8)) == MemoryInfo([]))
  }

  @Test("A size that overflows is nil")
  func hugeMemory() {
    #expect(MemoryInfo(Array("MemTotal: \(Int.max) kB".utf8)).total == nil)
  }

  @Test("Busy ticks in stat are the sum without idle and iowait")
  func cpu() {
    let text = "cpu  100 1 50 1000 20 2 3 4 90 9\ncpu0 1 1 1 1\nintr 5\n"
    #expect(CPUTimes(Array(text.utf8)) == CPUTimes(busy: 160, total: 1180))
    #expect(CPUTimes(Array("cpu 1 2 3 4".utf8)) == CPUTimes(busy: 6, total: 10))
  }

  @Test(
    "Invalid stat is nil",
    arguments: [
      "", "cpu ", "cpu 1 2 3", "cpu a b c d", "cpu0 1 2 3 4", "cpu \(Int.max) 0 0 -1 0 1",
    ])
  func noCPU(_ text: String) {
    #expect(CPUTimes(Array(text.utf8)) == nil)
  }

  @Test("loadavg has three averages; an invalid one is nil")
  func load() {
    let averages = LoadAverages(oneMinute: 0.2, fiveMinutes: 0.18, fifteenMinutes: 0.12)
    #expect(LoadAverages(Array("0.20 0.18 0.12 1/80 11206\n".utf8)) == averages)
    #expect(LoadAverages(Array("0.20 0.18".utf8)) == nil)
    #expect(LoadAverages(Array("nan nan nan".utf8)) == nil)
  }
}
