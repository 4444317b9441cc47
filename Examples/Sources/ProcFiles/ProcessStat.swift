/// The content of `/proc/PID/stat`.
///
/// A missing or invalid field is nil; only a text without a process id and a command in parentheses
/// is rejected.
package struct ProcessStat: Equatable {
  package var pid: Int32
  package var command: String
  package var state: String?
  /// Time spent in user and in kernel mode together, in clock ticks.
  package var cpuTicks: Int?
  /// Clock ticks from the start of the machine to the start of the process.
  package var startTicks: Int?
  package var residentPages: Int?

  package init?(_ text: [UInt8]) {
    // A command may contain spaces, line breaks and parentheses. The text after it can't contain a
    // parenthesis, so the first and the last one of the text enclose the command.
    guard
      let opening = text.firstIndex(of: UInt8(ascii: "(")),
      let closing = text.lastIndex(of: UInt8(ascii: ")")),
      opening < closing,
      let pid = Int32(String(decoding: text[..<opening].prefix { $0 != 0x20 }, as: UTF8.self))
    else { return nil }

    self.pid = pid
    command = String(decoding: text[(opening + 1)..<closing], as: UTF8.self)

    let fields = words(text[(closing + 1)...])
    // The manual counts fields from 1; the state, the first one after the command, is the 3rd.
    func field(_ number: Int) -> String? {
      number - 3 < fields.count ? String(decoding: fields[number - 3], as: UTF8.self) : nil
    }
    func count(_ number: Int) -> Int? {
      guard let text = field(number), let count = Int(text), count >= 0 else { return nil }
      return count
    }
    state = field(3)
    cpuTicks = sum(count(14), count(15))
    startTicks = count(22)
    residentPages = count(24)
  }
}
