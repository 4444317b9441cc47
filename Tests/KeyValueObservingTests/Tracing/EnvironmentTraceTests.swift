import Foundation
@testable import KeyValueCore
import KeyValueObserving
import Testing

@Suite("Traces requested by an environment variable")
struct EnvironmentTraceTests {
  /// The lines of a process's output, without durations.
  private func lines(_ content: [UInt8]) -> [String] {
    String(decoding: content, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("kvo ") }
      .map { line in
        line.range(of: " after ").map { String(line[..<$0.lowerBound]) } ?? String(line)
      }
  }

  @Test("Every event is one line on standard error")
  func everything() async throws {
    let result = try #require(
      await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        setenv("KVO_TRACE", "1", 1)
        let person = TracedPerson()
        let observation = person.kvo.age.observe(options: .new) { _, _ in }
        person.age = 1
        observation.invalidate()
      })
    #expect(
      lines(result.standardErrorContent) == [
        "kvo 1: TracedPerson.age: closure registered at EnvironmentTraceTests.swift:19, options: [.new]",
        "kvo 1: TracedPerson.age is set, was 36",
        "kvo 1:   TracedPerson.age: closure registered at EnvironmentTraceTests.swift:19 is told: 1",
        "kvo 1:     TracedPerson.age: closure returns",
        "kvo 1:   TracedPerson.age has changed: 36 -> 1",
        "kvo 1: TracedPerson.age: closure registered at EnvironmentTraceTests.swift:19 ends",
      ])
  }

  @Test("Events of one key of a class are written to a file")
  func file() async throws {
    await #expect(processExitsWith: .success) {
      let file = "\(NSTemporaryDirectory())/kvo-trace-\(ProcessInfo.processInfo.processIdentifier)"
      setenv("KVO_TRACE", "TracedPerson.firstName,\(file)", 1)
      let person = TracedPerson()
      let name = person.kvo.firstName.observe { _, _ in }
      let age = person.kvo.age.observe { _, _ in }
      person.age = 1
      person.firstName = "Grace"
      withExtendedLifetime((name, age)) {}
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      try? FileManager.default.removeItem(atPath: file)
      precondition(!text.contains("TracedPerson.age"), text)
      precondition(
        text.contains("kvo 1: TracedPerson.firstName is set, was \"Ada\"\n"), text)
    }
  }

  @Test(
    "The variable's value gives the file and the subjects",
    arguments: [
      ("", nil), ("0", nil), ("1", TraceRequest(file: nil, subjects: [])),
      ("Person.age,Account", TraceRequest(file: nil, subjects: ["Person.age", "Account"])),
      ("./a.log", TraceRequest(file: "./a.log", subjects: [])),
      ("/a,Person", TraceRequest(file: "/a", subjects: ["Person"])),
    ] as [(String, TraceRequest?)])
  func requests(_ text: String, _ request: TraceRequest?) {
    #expect(TraceRequest(text) == request)
  }
}
