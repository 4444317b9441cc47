import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E5. Expected violations")
struct ViolationExpectationTests {
  private let company = Company()

  @Test("E5 The violation of a closure passes, and is returned")
  func expected() {
    let violation = expectViolation(.undefinedKey) { company.willChangeValue(forKey: "nam") }
    let text =
      "Company has no key 'nam'. Did you mean 'name'? It was announced as changing, but no observer can "
      + "be registered for it."
    #expect(violation?.description == text)
    expectViolation(.undefinedKey, text) { company.willChangeValue(forKey: "nam") }
  }

  @Test("E5 None, another one, or one more is a failure")
  func unexpected() {
    let line = #line + 2
    let none = failures {
      let violation = expectViolation(.undefinedKey) {}
      #expect(violation == nil)
    }
    #expect(
      none
        == failure(
          """
          The violation isn't the one described (- described, + reported):
          - undefinedKey
          """, at: line))
    let tolerated =
      "tolerated: didChangeValue(forKey: \"name\") of Company was called without willChangeValue on this "
      + "thread, so no observer was notified. Call both, or use withChange(of:_:)."
    let next = #line + 2
    let another = failures {
      expectViolation(.tolerated, "Nothing.") { company.didChangeValue(forKey: "name") }
    }
    #expect(
      another
        == failure(
          """
          The violation isn't the one described (- described, + reported):
          - tolerated: Nothing.
          + \(tolerated)
          """, at: next))
    let last = #line + 2
    let more = failures {
      expectViolation(.tolerated) {
        company.didChangeValue(forKey: "name")
        company.didChangeValue(forKey: "name")
      }
    }
    #expect(
      more
        == failure(
          """
          The violation isn't the one described (- described, + reported):
            \(tolerated)
          + \(tolerated)
          """, at: last))
  }

  @Test("E5 A violation that a task commits later is awaited")
  func later() async {
    let counter = Counter()
    await expectViolation(.tolerated, within: .seconds(60)) {
      Task { counter.didChangeValue(forKey: "count") }
    }
    let line = #line + 2
    let found = await failures {
      await expectViolation(.tolerated, within: .milliseconds(1)) {}
    }
    #expect(
      found
        == failure(
          """
          The violation isn't the one described (- described, + reported):
          - tolerated
          """, at: line))
  }

  @Test("E5 Each violation of a closure without any is a failure")
  func noViolation() {
    let result = expectNoViolation { 1 }
    #expect(result == 1)
    let line = #line + 2
    let found = failures {
      expectNoViolation { company.didChangeValue(forKey: "name") }
    }
    #expect(
      found
        == failure(
          """
          A violation was reported:
          + tolerated: didChangeValue(forKey: "name") of Company was called without willChangeValue on \
          this thread, so no observer was notified. Call both, or use withChange(of:_:).
          """, at: line))
  }

  @Test("E5 Tests that commit violations don't hear each other's", arguments: 0..<50)
  func parallel(_ number: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let company = Company()
          expectViolation(.undefinedKey) { company.willChangeValue(forKey: "key \(number)") }
          expectNoViolation { company.name = "A" }
        }
      }
    }
  }

  #if DEBUG
    @Test("E5 A report that's made once for a class and key is made once in each expectation")
    func reportedOnce() {
      for _ in 0..<2 {
        expectViolation(.tolerated) {
          for _ in 0..<2 { Fixed().kvo.limit.observe { _, _ in }.invalidate() }
        }
      }
    }
  #endif
}

@KeyValueObservable
final class Fixed {
  let limit = 1
}

@Suite("E5. The trait violationsFail", .violationsFail)
struct ViolationsFailTests {
  @Test("E5 A suite's test fails where it commits a violation")
  func inSuite() {
    let company = Company()
    let line = #line - 3
    let found = failures { company.didChangeValue(forKey: "name") }
    #expect(
      found
        == failure(
          """
          A violation was reported:
          + tolerated: didChangeValue(forKey: "name") of Company was called without willChangeValue on \
          this thread, so no observer was notified. Call both, or use withChange(of:_:).
          """, at: line))
  }

  @Test("E5 An expectation takes the trait's place")
  func expectation() {
    expectViolation(.tolerated) { Company().didChangeValue(forKey: "name") }
  }

  @Suite("Inside")
  struct Inside {
    @Test("E5 A suite in the suite has the trait, too")
    func nested() {
      #expect(failures { Company().didChangeValue(forKey: "name") }.count == 1)
    }
  }
}

@Suite("E5. The trait violationsFail at a test")
struct ViolationsFailTestTests {
  @Test("E5 A test with the trait", .violationsFail)
  func atTest() {
    #expect(failures { Company().didChangeValue(forKey: "name") }.count == 1)
  }

  @Test("E5 The failure has the registration's line, where the violation has it", .violationsFail)
  func place() {
    let line = #line + 1
    let found = failures { _ = Company().kvo.observe { _, _ in } }
    #expect(found.count == 1)
    #expect(found[0].message.hasSuffix("  // ViolationExpectationTests.swift:\(line)"), "\(found)")
  }
}
