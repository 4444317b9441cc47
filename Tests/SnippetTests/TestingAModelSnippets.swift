import KeyValueObserving
import KeyValueTesting
import Testing

#if canImport(XCTest) && !canImport(ObjectiveC)
  import XCTest
#endif

@Suite("TestingAModel.md", .printing, .serialized)
struct TestingAModelSnippets {
  // snippet TestingAModel 1
  @KeyValueObservable
  final class Employee {
    var name: String
    var salary: Int

    init(_ name: String, salary: Int) {
      self.name = name
      self.salary = salary
    }
  }

  @KeyValueObservable
  final class Company {
    var name = "Engines"
    var employees: [Employee] = []
    var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }
    var title: String { "\(name) Ltd." }
  }
  // end

  // snippet TestingAModel 2
  @Suite(.violationsFail)
  struct CompanyTests {
    let company = Company()
    let ada = Employee("Ada", salary: 100)

    @Test func hiring() {
      expectChanges(of: company.kvo.totalSalary, company.kvo.employees) {
        company.employees.append(ada)
        ada.salary += 10
      } are: {
        change(company.kvo.totalSalary, old: 0, new: 100)
        insertion(company.kvo.employees, at: 0)
        change(company.kvo.totalSalary, old: 100, new: 110)
      }
    }
  }
  // end

  private let company = Company()
  private let ada = Employee("Ada", salary: 100)

  /// Prints the failures of a closure, which aren't this test's.
  private func printFailures(_ body: () throws -> Void) rethrows {
    let printed = Printed.current
    try withKnownIssue {
      try body()
    } matching: { issue in
      for comment in issue.comments { printed?.append(comment.rawValue) }
      return true
    }
  }

  @MainActor
  @Test("TestingAModel")
  func page() async throws {
    // The page names lines of this file: 74 of a description, 151 of an observer.
    try printFailures {
      // snippet TestingAModel 3
      expectChanges(of: company.kvo.totalSalary, company.kvo.employees) {
        company.employees.append(ada)
      } are: {
        change(company.kvo.totalSalary, old: 0, new: 90)
        insertion(company.kvo.employees, at: 0, of: [ada])
      }
      // end
      try expectPrinted("TestingAModel", 3)
    }

    // snippet TestingAModel 4
    expectChanges(of: company) {
      company.name = "Analytical Engines"
    } are: {
      change(company.kvo.name, old: "Engines", new: "Analytical Engines")
      change(company.kvo.title, new: "Analytical Engines Ltd.")
    }
    // end

    // snippet TestingAModel 5
    let grace = Employee("Grace", salary: 200)
    try expectChanges(ofGraph: company) {
      company.employees.append(grace)
      grace.salary += 10
      company.employees.removeLast()
    } are: {
      entry(of: grace)
      insertion(company.kvo.employees, at: 1, of: [grace])
      change(grace.kvo.salary, old: 200, new: 210)
      removal(company.kvo.employees, at: 1)
      departure(of: grace)
    }
    // end

    // snippet TestingAModel 6
    expectChanges(of: company) {
      company.name = "Difference Engines"
    } are: {
      inAnyOrder {
        change(company.kvo.title)
        change(company.kvo.name)
      }
    }
    // end

    // snippet TestingAModel 7
    await expectChanges(of: ada.kvo.salary, within: .seconds(10)) {
      Task { ada.salary += 10 }
    } are: {
      change(ada.kvo.salary, old: 100, new: 110)
    }
    // end

    // snippet TestingAModel 8
    await expectValues(of: ada.kvo.salary.values(), within: .seconds(10)) {
      ada.salary += 10
    } are: {
      [110, 120]
    }
    // end

    try printFailures {
      // snippet TestingAModel 9
      let changes = ChangeList(of: company.kvo.name, company.kvo.title)
      company.name = "Engines"
      print(changes.next()!)
      // change(Company.name, old: "Difference Engines", new: "Engines")
      changes.expectNext(change(company.kvo.title, new: "Engines Ltd."))
      company.name = "Looms"
      changes.finish()
      // end
      try expectPrinted("TestingAModel", 9)
    }

    // snippet TestingAModel 10
    expectViolation(.undefinedKey) { company.willChangeValue(forKey: "nmae") }
    // end

    try printFailures {
      // snippet TestingAModel 11
      let observation = company.kvo.totalSalary.observe { _, _ in }
      expectUnobserved(company)
      // end
      try expectPrinted("TestingAModel", 11)
      observation.invalidate()
    }

    // snippet TestingAModel 12
    var salaries: [Int] = []
    expectReleased {
      let observation = company.kvo.totalSalary.observe(options: .new) { _, change in
        salaries.append(change.newValue!)
      }
      company.employees = []
      observation.invalidate()
      return Company()
    }
    // end
    #expect(salaries == [0])

    // snippet TestingAModel 13
    let clearing = company.kvo.title.observe(options: .new) { company, _ in
      company.employees = []
    }
    expectTrace {
      company.name = "Engines"
    } is: {
      """
      Company.name is set: "Looms" -> "Engines"
        Company.title: closure is told, Company.title through name: "Engines Ltd."
      """
    }
    // end
    withExtendedLifetime(clearing) {}
  }
}

#if canImport(XCTest) && !canImport(ObjectiveC)
  // snippet TestingAModel 14
  final class CompanyXCTests: XCTestCase {
    override func invokeTest() {
      expectNoViolation { super.invokeTest() }
    }
  }
// end
#endif
