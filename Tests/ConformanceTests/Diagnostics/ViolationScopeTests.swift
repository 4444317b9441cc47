import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("L4. A task's own handler of violations")
struct ViolationScopeTests {
  private let lines = AtomicList()
  private let person = Person()

  @Test(
    "L4 During a closure, its task's violations go to its own handler, of nested ones to the inner")
  func nested() {
    record("outer") {
      person.willChangeValue(forKey: "agee")
      let result = record("inner") {
        person.didChangeValue(forKey: "age")
        return 1
      }
      #expect(result == 1)
      person.didChangeValue(forKey: "age")
    }
    #expect(lines.take() == ["outer undefinedKey", "inner tolerated", "outer tolerated"])
  }

  @Test("L4 An asynchronous closure's tasks inherit the handler, and its error is thrown")
  func asynchronous() async {
    struct Stop: Error {}
    let lines = lines
    await #expect(throws: Stop.self) {
      try await KeyValueViolation.withHandler {
        lines.append("\($0.kind)")
      } perform: {
        await Task.yield()
        await withTaskGroup(of: Void.self) { group in
          group.addTask { Person().didChangeValue(forKey: "age") }
        }
        await Task { Person().willChangeValue(forKey: "agee") }.value
        throw Stop()
      }
    }
    #expect(lines.take() == ["tolerated", "undefinedKey"])
  }

  @Test("L4 Violations of other threads and of detached tasks go to the process's handler")
  func elsewhere() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let own = AtomicList()
      await KeyValueViolation.withHandler {
        own.append("\($0.kind)")
      } perform: {
        await Task.detached { Person().willChangeValue(forKey: "agee") }.value
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            Person().didChangeValue(forKey: "age")
            continuation.resume()
          }
        }
        Person().didChangeValue(forKey: "age")
      }
      Person().willChangeValue(forKey: "agee")
      #expect(own.take() == ["tolerated"])
      #expect(
        violations.take().map { String($0.prefix { $0 != ":" }) } == [
          "undefinedKey", "tolerated", "undefinedKey",
        ])
    }
  }

  #if DEBUG
    @Test("L4 A report that's made once for a class and key is made once in each closure")
    func reportedOnce() {
      for _ in 0..<2 {
        record("constant") {
          for _ in 0..<2 { Certificate().kvo.number.observe { _, _ in }.invalidate() }
        }
        #expect(lines.take() == ["constant tolerated"])
      }
    }
  #endif

  @discardableResult
  private func record<Result>(_ name: String, _ body: () -> Result) -> Result {
    let lines = lines
    return KeyValueViolation.withHandler {
      lines.append("\(name) \($0.kind)")
    } perform: {
      body()
    }
  }
}

@KeyValueObservable
private final class Certificate {
  let number = 1
}
