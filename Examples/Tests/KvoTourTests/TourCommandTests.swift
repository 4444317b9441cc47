import ArgumentParser
import Foundation
import KvoTour
import Testing

@Suite("The command kvo-tour")
struct TourCommandTests {
  @Test("list prints the name and title of each scenario")
  func list() throws {
    #expect(
      try printed("list") == """
        account            a person observes an account's balance and interest rate
        initial            a callback with the current value
        prior              a callback before the change and one after it
        openingBalance     manual notification, with and without comparing the old value
        nestedKeys         one operation changes two keys; the pairs are nested
        switches           each key notifies automatically or manually, and subclasses inherit that
        removal            registrations are removed by context; removing one too many is an error
        observationInfo    an object lists its registrations
        fullName           a dependent key, declared in four ways
        download           progress, from the bytes written and the total
        dog                a property that notifies when its object's properties change
        keyPath            a key path through an object that is replaced, and through nil
        transactions       an ordered to-many property, through its proxy and by hand
        books              elements are inserted, replaced and removed; changes contain the elements and their indexes
        elementChanges     plain Swift mutations, reported as insertions and removals
        accessors          a proxy uses the class's accessors, with and without replaceObject
        setAlgebra         an unordered to-many property: only the elements that enter or leave
        totalSalary        a key that depends on all employees, by hand and by declaration
        arrayRegistration  one registration for a property of several objects in an array
        operators          collection operators over a table of transactions
        aggregates         the results of operators are observed like any other value
        subclass           a subclass and its superclass observe the same key path independently
        typeOf             observation does not change an object's class
        observerDies       releasing an observer ends its observation
        observedDies       releasing an observed object ends its observations
        selfObserverDies   an object that observes itself is released like any other
        performChanges     several changes, reported as one or rolled back as one
        binding            a property follows another, and two properties stay equal
        undo               a recorder undoes and redoes; observers are notified of each change
        """)
  }

  @Test("all plays every scenario")
  func all() throws {
    let scenarios = try Scenario.all.map { try printed($0.name) }
    #expect(try printed("all") == scenarios.joined(separator: "\n\n"))
  }

  @Test("The documentation has the page of each scenario")
  func pages() throws {
    let catalogue = URL(filePath: #filePath)
      .appending(path: "../../../../Sources/KeyValueObserving/KeyValueObserving.docc").standardized
    let titles = try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
      .filter { $0.hasSuffix(".md") }
      .map { file in
        let text = try String(contentsOf: catalogue.appending(path: file), encoding: .utf8)
        return String(text.prefix { $0 != "\n" }.dropFirst(2))
      }
    #expect(Scenario.Page.allCases.map(\.rawValue).filter { !titles.contains($0) } == [])
    #expect(Set(Scenario.all.map(\.page)) == Set(Scenario.Page.allCases))
  }

  @Test("Names are case-insensitive")
  func names() throws {
    #expect(try printed("FULLNAME") == printed("fullName"))
    let names = Scenario.all.map { $0.name.lowercased() }
    #expect(Set(names).count == names.count)
    #expect(!names.contains("list") && !names.contains("all"))
  }

  @Test(
    "The error about an unknown name suggests the nearest one",
    arguments: [
      ("fulname", "Did you mean 'fullName'?"), ("typeof2", "Did you mean 'typeOf'?"),
      ("dg", "Did you mean 'dog'?"), ("obsrverDies", "Did you mean 'observerDies'?"),
    ])
  func suggestion(_ name: String, _ suggestion: String) throws {
    let error = #expect(throws: (any Error).self) { try TourCommand.parse([name]) }
    let text = TourCommand.fullMessage(for: try #require(error))
    #expect(
      text.hasPrefix(
        "Error: There is no scenario '\(name)'. \(suggestion) The scenarios are account,"))
  }

  @Test("The error has no suggestion if no name is near")
  func noSuggestion() throws {
    let error = #expect(throws: (any Error).self) { try TourCommand.parse(["somethingElse"]) }
    let text = TourCommand.fullMessage(for: try #require(error))
    #expect(text.hasPrefix("Error: There is no scenario 'somethingElse'. The scenarios are"))
  }
}
