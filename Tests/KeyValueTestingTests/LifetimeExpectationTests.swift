import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E6. Expected ends of lives")
struct LifetimeExpectationTests {
  @Test("E6 Objects that are released pass, alone, in a tuple and in a collection")
  func released() {
    expectReleased { Company() }
    expectReleased {
      let company = Company()
      let observation = company.kvo.name.observe { _, _ in }
      company.name = "A"
      observation.invalidate()
      return (company, [Employee(), Employee()], Company() as Company?)
    }
    expectReleased {
      let company = Company()
      let observation = company.kvo.name.observe { _, _ in }
      company.name = "A"
      withExtendedLifetime(observation) {}
    }
  }

  @Test("E6 An object that lives on is a failure that lists what's registered on it")
  func retained() {
    var tokens: [KeyValueObservation] = []
    let line = #line + 2
    let found = failures {
      expectReleased {
        let company = Company()
        company.kvo.name.observe { _, _ in _ = company.title }.store(in: &tokens)
        return (company, Employee())
      }
    }
    #expect(
      found
        == failure(
          """
          Company is still alive. It's observed:
          + Company.name: closure registered at LifetimeExpectationTests.swift:\(line + 2)
          """, at: line))
    tokens[0].invalidate()
    let kept = Employee()
    let last = #line + 1
    #expect(
      failures { expectReleased { [kept, Employee()] } }
        == failure("Employee is still alive, and nothing is registered on it.", at: last))
  }

  @Test("E6 Objects in elements, stored properties and payloads are found, each once")
  func insideValues() {
    let kept = [Employee(), Employee(), Employee(), Employee()]
    let line = #line + 2
    let found = failures {
      expectReleased {
        let chain = Chain.link(kept[1], .link(kept[0], .link(kept[2], .end)))
        return Team(lead: kept[0], chains: ["a": chain], deputy: .success(kept[3]))
      }
    }
    #expect(
      found
        == failure(
          """
          Employee is still alive, and nothing is registered on it.
          Employee 2 is still alive, and nothing is registered on it.
          Employee 3 is still alive, and nothing is registered on it.
          Employee 4 is still alive, and nothing is registered on it.
          """, at: line))
    expectReleased {
      let lead = Employee()
      return Team(
        lead: lead, chains: ["a": .link(lead, .link(Employee(), .end)), "b": .end],
        deputy: .success(Employee()))
    }
  }

  @Test("E6 What objects lead to isn't looked into")
  func insideObjects() {
    let kept = Employee()
    expectReleased {
      let company = Company()
      company.head = kept
      company.employees = [kept]
      return company
    }
  }

  @Test("E6 A value without an object is a failure if nothing was registered")
  func nothing() async {
    func none(_ type: String, at line: Int) -> [Failure] {
      failure(
        "There's nothing to check: the closure's result, of type \(type), leads to no object, and nothing was "
          + "registered.", at: line)
    }
    let line = #line + 4
    let found = failures {
      expectReleased {}
      expectReleased { Company?.none }
      expectReleased { 5 }
      expectReleased { [Employee]() }
      expectReleased { Chain.end }
      expectReleased { Passage(path: \.name) }
    }
    #expect(
      found
        == none("Int", at: line) + none("Array<Employee>", at: line + 1)
        + none("Chain", at: line + 2) + none("Passage", at: line + 3))
    let company = Company()
    let last = #line + 2
    let later = await failures {
      await expectReleased(within: .zero) { company.name }
    }
    #expect(later == none("String", at: last))
  }

  @Test("E6 An observation that the closure leaves behind is a failure")
  func observation() {
    let company = Company()
    var tokens: [KeyValueObservation] = []
    let line = #line + 2
    let found = failures {
      expectReleased {
        company.kvo.name.observe { _, _ in }.store(in: &tokens)
        company.kvo.title.observe { _, _ in }.invalidate()
      }
    }
    tokens[0].invalidate()
    #expect(
      found
        == failure(
          """
          Observations haven't ended:
          + Company.name: closure registered at LifetimeExpectationTests.swift:\(line + 1)
          """, at: line))
  }

  @Test("E6 What a task still holds is awaited")
  func later() async {
    await expectReleased(within: .seconds(600)) {
      let counter = Counter()
      Task { counter.count = 1 }
      return counter
    }
    let kept = Counter()
    let line = #line + 2
    let found = await failures {
      await expectReleased(within: .milliseconds(1)) { kept }
    }
    #expect(
      found == failure("Counter is still alive, and nothing is registered on it.", at: line))
  }

  // It ends with the time limit if it waits.
  @Test(
    "E6 A task that's cancelled doesn't wait",
    .timeLimit(.minutes(10)))
  func cancelled() async {
    let kept = Counter()
    let task = Task {
      await failures {
        await expectReleased(within: .seconds(3_600)) {
          while !Task.isCancelled { await Task.yield() }
          return kept
        }
      }
    }
    task.cancel()
    #expect(
      await task.value.map(\.message) == [
        "Counter is still alive, and nothing is registered on it."
      ])
  }

  @MainActor
  @Test("E6 An object without registrations is unobserved; otherwise each is listed")
  func unobserved() throws {
    let (company, ada) = (Company(), Employee())
    expectUnobserved(company)
    company.head = ada
    let ledger = Ledger()
    var line = #line + 1
    let observations = [
      company.kvo.head.salary.observe { _, _ in },
      ada.kvo.name.observe(target: ledger, action: Ledger.changed),
    ]
    let binding = ada.kvo.name.bind(to: ledger.kvo.text)
    let log = try log(of: company)
    let found = failures { expectUnobserved(ada) }
    #expect(
      found
        == failure(
          """
          Employee is observed:
          + Company.head.salary: closure registered at LifetimeExpectationTests.swift:\(line + 1)
          + Employee.name: Ledger registered at LifetimeExpectationTests.swift:\(line + 2)
          + Employee.name: binding to Ledger.text bound at LifetimeExpectationTests.swift:\(line + 4)
          + Employee: a change log, or a recorder of the graph
          """, at: line + 6))
    for observation in observations { observation.invalidate() }
    binding.invalidate()
    line = #line + 1
    #expect(failures { expectUnobserved(ada) }.count == 1)
    withExtendedLifetime(log) {}
  }
}

@KeyValueObservable
final class Ledger {
  var text = ""

  func changed() {}
}

/// A value with objects in properties of each kind.
private struct Team {
  var lead: Employee
  var chains: [String: Chain]
  var deputy: Result<Employee, any Error>
  let salary: KeyPath<Employee, Int> = \.salary
}

private indirect enum Chain {
  case end
  case link(Employee, Chain)
}

/// A value that leads to an object only by what a key path is made of.
private struct Passage {
  var path: KeyPath<Employee, String>
}
