import KeyValueObserving
import KeyValueTesting
import Testing

@KeyValueObservable
private final class Crate<Content> {
  var content: Content

  init(_ content: Content) { self.content = content }
}

@Suite("E7. Expected traces")
struct TraceExpectationTests {
  private let company = Company()
  private let ada = Employee()

  @Test("E7 A cascade as text, the same in each run")
  func cascade() async {
    let grace = Employee("Grace")
    company.employees = [ada]
    let observations = [
      company.kvo.title.observe(options: .new) { _, _ in },
      company.kvo.totalSalary.observe(options: [.old, .new]) { [ada] _, _ in ada.name += "!" },
      ada.kvo.name.observe(options: [.old, .new, .prior]) { _, _ in },
    ]
    let edit = {
      company.name = "A"
      company.employees = [ada, grace]
      company.employees.removeFirst()
      company.head = grace
    }
    expectTrace(edit) {
      """
      Company.name is set: "Engines" -> "A"
        Company.title: closure is told, Company.title through name: "A Ltd."
      Company.employees is set: [Employee, Employee 2]
        Company.totalSalary: closure is told, Company.totalSalary through employees.salary: 100 -> 200
          Employee.name is set: "Ada" -> "Ada!"
            Employee.name: closure is told in advance, was "Ada"
            Employee.name: closure is told: "Ada" -> "Ada!"
      Company.employees is set: [Employee 2]
        Company.totalSalary: closure is told, Company.totalSalary through employees.salary: 200 -> 100
          Employee.name is set: "Ada!" -> "Ada!!"
            Employee.name: closure is told in advance, was "Ada!"
            Employee.name: closure is told: "Ada!" -> "Ada!!"
      """
    }
    withExtendedLifetime(observations) {}
  }

  @Test("E7 Objects of generic classes are numbered by class; a line break is an escape")
  func genericClasses() {
    let (first, second, text) = (Crate(1), Crate(2), Crate("a"))
    let observations = [
      first.kvo.content.observe { _, _ in }, second.kvo.content.observe { _, _ in },
      text.kvo.content.observe { _, _ in },
    ]
    expectTrace {
      first.content = 3
      second.content = 3
      text.content = "b\nc"
    } is: {
      #"""
      Crate<Int>.content is set: 1 -> 3
        Crate<Int>.content: closure is told
      Crate<Int> 2.content is set: 2 -> 3
        Crate<Int> 2.content: closure is told
      Crate<String>.content is set: "a" -> "b\nc"
        Crate<String>.content: closure is told
      """#
    }
    withExtendedLifetime(observations) {}
  }

  @Test("E7 Registrations, ends and violations are lines")
  func registrations() {
    expectViolation(.tolerated) {
      expectTrace {
        let observation = company.kvo.name.observe { _, _ in }
        company.didChangeValue(forKey: "name")
        observation.invalidate()
      } is: {
        """
        Company.name: closure is registered
        violation: tolerated: didChangeValue(forKey: "name") of Company was called without willChangeValue \
        on this thread, so no observer was notified. Call both, or use withChange(of:_:).
        Company.name: closure ends
        """
      }
    }
  }

  @Test("E7 Nothing is an empty text, and for an empty text the failure has the one to paste")
  func paste() {
    expectTrace(is: "") { company.name = "A" }
    expectTrace({ company.name = "B" }, is: "")
    company.name = "A"
    let observation = company.kvo.name.observe { _, _ in }
    let line = #line + 2
    let found = failures {
      expectTrace(is: "") { company.name = "B" }
    }
    #expect(
      found
        == failure(
          """
          The trace's text, to paste:
          Company.name is set: "A" -> "B"
            Company.name: closure is told
          """, at: line))
    withExtendedLifetime(observation) {}
  }

  @Test("E7 Another text is a failure that shows both line by line")
  func difference() async {
    let observation = company.kvo.name.observe { _, _ in }
    let line = #line + 2
    let found = failures {
      expectTrace {
        company.name = "A"
      } is: {
        """
        Company.name is set: "Engines" -> "B"
          Company.name: closure is told
        """
      }
    }
    #expect(
      found
        == failure(
          """
          The trace isn't the one described (- described, + traced):
          - Company.name is set: "Engines" -> "B"
          + Company.name is set: "Engines" -> "A"
              Company.name: closure is told
          """, at: line))
    let trace = await KeyValueTrace.recording {
      await Task.yield()
      company.name = "C"
    }
    expectTrace(
      trace,
      is: """
        Company.name is set: "A" -> "C"
          Company.name: closure is told
        """)
    withExtendedLifetime(observation) {}
  }
}
