import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E1. Expected changes of a graph")
struct GraphExpectationTests {
  private let company = Company()
  private let ada = Employee()

  @Test("E1 All stored keys of all objects, with those that enter and leave")
  func graph() throws {
    let grace = Employee("Grace", salary: 200)
    try expectChanges(ofGraph: company) {
      company.employees.append(ada)
      ada.salary += 10
      company.head = grace
      ada.mentor = grace
      company.prices = ["tea": 2]
      company.prices["tea"] = 3
      company.tags = ["a", "b"]
      company.tags.remove("a")
      company.place.number = 2
      company.mutableArrayValue(for: \.employees).replaceSubrange(0..<1, with: [grace])
    } are: {
      entry(of: ada)
      insertion(company.kvo.employees, at: 0, of: [ada])
      change(ada.kvo.salary, old: 100, new: 110)
      entry(of: grace)
      change(company.kvo.head, old: nil, new: grace)
      change(ada.kvo.mentor, old: nil, new: grace)
      change(company.kvo.prices, old: [:], new: ["tea": 2])
      change(company.kvo.prices, old: ["tea": 2], new: ["tea": 3])
      insertion(company.kvo.tags, of: ["a", "b"])
      removal(company.kvo.tags, of: ["a"])
      change(
        company.kvo.place, old: Place(street: "Dorset Street", number: 1),
        new: Place(street: "Dorset Street", number: 2))
      replacement(company.kvo.employees, at: 0, old: [ada], new: [grace])
      departure(of: ada)
    }
  }

  @Test("E1 An assignment of a list is told in a graph as on a path")
  func assignments() throws {
    let shelf = Shelf()
    func assign() {
      let titles = shelf.titles
      shelf.titles = titles
      shelf.titles = ["a", "c"]
      shelf.titles = ["d", "e"]
    }
    @ExpectedChangesBuilder func described() -> ExpectedChanges {
      change(shelf.kvo.titles, old: ["a", "b"], new: ["a", "b"])
      replacement(shelf.kvo.titles, at: 1, old: ["b"], new: ["c"])
      removal(shelf.kvo.titles, at: 0..<2, of: ["a", "c"])
      insertion(shelf.kvo.titles, at: 0..<2, of: ["d", "e"])
    }
    expectChanges(of: shelf.kvo.titles) {
      assign()
    } are: {
      described()
    }
    shelf.titles = ["a", "b"]
    try expectChanges(ofGraph: shelf) {
      assign()
    } are: {
      described()
    }
  }

  @Test("E1 An assignment without a difference has no value that a later change may have changed")
  func assignmentBeforeAnother() throws {
    let shelf = Shelf()
    let changes = try ChangeList(ofGraph: shelf)
    KeyValueTransaction.perform {
      let titles = shelf.titles
      shelf.titles = titles
      shelf.mutableArrayValue(for: \.titles).append("c")
    }
    #expect(changes.next().map { "\($0)" } == "change(Shelf.titles)")
    #expect(changes.next().map { "\($0)" } == "insertion(Shelf.titles, at: 2, of: [\"c\"])")
  }

  @KeyValueObservable
  final class Shelf {
    var titles: [String] = ["a", "b"]
  }

  @Test("E1 A dictionary is compared as a record has it, whatever its keys")
  func dictionaries() throws {
    let atlas = Atlas()
    try expectChanges(ofGraph: atlas) {
      atlas.pages = [1: "a", 2: "b"]
      atlas.pages[1] = nil
      atlas.areas = [.sea: 71, .land: 29]
      atlas.guides = [7: ada]
      atlas.guides = [:]
    } are: {
      change(atlas.kvo.pages, old: [:], new: [1: "a", 2: "b"])
      change(atlas.kvo.pages, old: [1: "a", 2: "b"], new: [2: "b"])
      change(atlas.kvo.areas, old: [:], new: [.land: 29, .sea: 71])
      entry(of: ada)
      change(atlas.kvo.guides, old: [:], new: [7: ada])
      change(atlas.kvo.guides, old: [7: ada], new: [:])
      departure(of: ada)
    }
    let changes = try ChangeList(ofGraph: atlas)
    atlas.areas = [.land: 30]
    let next = changes.next()
    #expect(next?.matches(change(atlas.kvo.areas, new: [.sea: 30])) == false)
    #expect(next?.matches(change(atlas.kvo.areas, new: [.land: 31])) == false)
  }

  @KeyValueObservable
  final class Atlas {
    enum Area: String, Codable { case land, sea }

    var pages: [Int: String] = [:]
    var areas: [Area: Int] = [:]
    var guides: [Int: Employee] = [:]
  }

  @Test("E1 What a graph's description lacks or has too much is a failure")
  func failing() throws {
    company.employees = [ada]
    let log = try log(of: company)
    let stranger = Employee()
    let line = #line + 2
    let found = failures {
      expectChanges(of: log) {
        KeyValueTransaction.perform {
          ada.salary = 1
          ada.salary = 2
          company.employees = []
        }
      } are: {
        change(ada.kvo.salary, old: 100, new: 2)
        change(stranger.kvo.salary)
        change(company.kvo.head.salary)
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
        change(Employee.salary, old: 100, new: 2)
      - change(Employee 2.salary)  // GraphExpectationTests.swift:\(line + 8)
      - change(Company.head.salary)  // GraphExpectationTests.swift:\(line + 9)
      + removal(Company.employees, at: 0, of: [Employee])
      + departure(of: Employee)
      Employee 2.salary, Company.head.salary are described, but not observed here.
      """
    #expect(found == failure(message, at: line))
    withExtendedLifetime(log) {}
  }
}
