import ProcFiles
import Testing

@Suite("Parsing /proc/PID/stat")
struct ProcessStatTests {
  @Test("Each field has its value")
  func completeText() {
    let text = """
      2895 (cat) R 2892 2892 2008 0 -1 4194304 122 0 0 0 30 12 0 0 20 0 1 0 156286 3133440 423 \
      18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0

      """
    let stat = ProcessStat(Array(text.utf8))
    #expect(stat?.pid == 2895)
    #expect(stat?.command == "cat")
    #expect(stat?.state == "R")
    #expect(stat?.cpuTicks == 42)
    #expect(stat?.startTicks == 156_286)
    #expect(stat?.residentPages == 423)
  }

  @Test(
    "A command may contain any characters",
    arguments: [
      "tmux: server", "(sd-pam)", ":-)", "a) S 1 (b", "two\nlines", "日本語", "", " ", ")", "(",
    ])
  func command(_ command: String) {
    let text = "7 (\(command)) S 1 7 7 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 99 0 5"
    let stat = ProcessStat(Array(text.utf8))
    #expect(stat?.pid == 7)
    #expect(stat?.command == command)
    #expect(stat?.state == "S")
    #expect(stat?.startTicks == 99)
  }

  @Test("Invalid UTF-8 in a command is repaired")
  func invalidText() {
    let stat = ProcessStat(Array("7 (a".utf8) + [0xFF] + Array("b) S 1".utf8))
    #expect(stat?.command == "a\u{FFFD}b")
  }

  @Test("Missing and invalid fields are nil")
  func unreadableFields() {
    let short = ProcessStat(Array("7 (sh) S 1 7".utf8))
    #expect(short?.state == "S")
    #expect(short?.cpuTicks == nil)
    #expect(short?.startTicks == nil)
    #expect(short?.residentPages == nil)

    let text = "7 (sh) S 1 7 7 0 -1 0 0 0 0 0 x 2 0 0 20 0 1 0 -1 0 99999999999999999999"
    let odd = ProcessStat(Array(text.utf8))
    #expect(odd?.cpuTicks == nil)
    #expect(odd?.startTicks == nil)
    #expect(odd?.residentPages == nil)

    let most = Int.max
    let large = ProcessStat(Array("7 (sh) S 1 7 7 0 -1 0 0 0 0 0 \(most) 1 0".utf8))
    #expect(large?.cpuTicks == nil, "A sum that does not fit.")
  }

  @Test(
    "A text without an id and a command in parentheses is rejected",
    arguments: ["", "7", "7 sh S 1", "7 (sh", "7 sh)", ")(", "x (sh) S 1", "(sh) S 1"])
  func noStat(_ text: String) {
    #expect(ProcessStat(Array(text.utf8)) == nil)
  }
}
