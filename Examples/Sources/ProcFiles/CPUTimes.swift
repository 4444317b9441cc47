/// The work of all processors together since the machine started, in clock ticks (`/proc/stat`).
package struct CPUTimes: Equatable {
  package var busy: Int
  package var total: Int

  package init(busy: Int, total: Int) {
    self.busy = busy
    self.total = total
  }

  package init?(_ text: [UInt8]) {
    guard
      let line = String(decoding: text, as: UTF8.self)
        .split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("cpu ") })
    else { return nil }
    // user nice system idle iowait irq softirq steal; user and nice include the rest.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).map { Int($0) }
    guard ticks.count >= 4, ticks.allSatisfy({ ($0 ?? -1) >= 0 }),
      let total = ticks.reduce(0, sum)
    else { return nil }
    let idle = sum(ticks[3], ticks.count > 4 ? ticks[4] : 0) ?? 0
    self.init(busy: total - idle, total: total)
  }
}
