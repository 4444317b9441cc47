import ArgumentParser
import KvoTopCommand
import MachineView
import Testing

@Suite("The options of kvo-top")
struct TopCommandTests {
  @Test("Options have defaults")
  func defaults() throws {
    let command = try TopCommand.parse([])
    #expect(!command.once)
    #expect(command.iterations == nil)
    #expect(command.interval == 2)
    #expect(command.sort == .cpu)
    #expect(!command.log)
    #expect(!command.verify)
    #expect(command.limit == nil)
  }

  @Test("Every option is parsed")
  func all() throws {
    let command = try TopCommand.parse(
      [
        "--iterations", "4", "--interval", "0.5", "--sort", "memory", "--log", "--verify",
        "--limit", "7",
      ])
    #expect(command.iterations == 4)
    #expect(command.interval == 0.5)
    #expect(command.sort == .memory)
    #expect(command.log)
    #expect(command.verify)
    #expect(command.limit == 7)
  }

  @Test(
    "An invalid option is an error that states the reason",
    arguments: [
      (["--iterations", "0"], "--iterations must be at least 1, not 0."),
      (["--iterations", "many"], "'many' is invalid for '--iterations"),
      (["--limit", "0"], "--limit must be at least 1, not 0."),
      (["--interval", "0"], "--interval must be from 0.05 to 86400.0 seconds, not 0.0."),
      (["--interval", "nan"], "--interval must be from 0.05 to 86400.0 seconds, not nan."),
      (["--once", "--iterations", "2"], "--once means --iterations 1: use only one of them."),
      (["--sort", "size"], "'cpu', 'memory', 'pid' or 'command'"),
      (["--colour"], "Unknown option '--colour'"),
      (["4"], "Unexpected argument '4'"),
    ])
  func wrong(_ arguments: [String], _ message: String) throws {
    let error = #expect(throws: (any Error).self) { try TopCommand.parse(arguments) }
    let text = TopCommand.fullMessage(for: try #require(error))
    #expect(text.contains(message), "\(text)")
  }
}
