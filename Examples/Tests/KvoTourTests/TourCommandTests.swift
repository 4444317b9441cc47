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
        initial            a callback with the value that is there already
        prior              a callback before the change and one after it
        openingBalance     manual notification, with and without a look at the old value
        nestedKeys         one operation changes two keys; the pairs are nested
        switches           automatic or manual is decided for each key, and inherited
        removal            registrations are removed by context; one too many is an error
        observationInfo    an object tells what is registered with it
        fullName           a dependent key, declared in four ways
        download           progress, from bytes written and bytes in all
        dog                a property told again when its object's properties change
        keyPath            a key path through an object that is replaced, and through none
        transactions       an ordered to-many property, through its proxy and by hand
        books              elements are inserted, replaced and removed; changes tell which and where
        elementChanges     plain Swift, told as the insertions and removals it amounts to
        accessors          a proxy uses the class's own methods, with and without one that replaces
        setAlgebra         an unordered to-many property: what really enters and leaves
        totalSalary        a key that depends on all employees, by hand and declared
        arrayRegistration  one observer for a property of several objects of an array
        operators          collection operators over a table of transactions
        aggregates         what operators say of a table is observed like any other value
        subclass           a subclass and its superclass observe the same key path independently
        typeOf             observation does not change an object's class
        observerDies       an observer that dies is dropped
        observedDies       an observed object that dies ends its observations
        selfObserverDies   an object that observes itself dies like any other
        performChanges     several changes, told as one or taken back as one
        binding            a property follows another, and two keep each other equal
        undo               a recorder undoes and redoes; observers are told of each change
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
