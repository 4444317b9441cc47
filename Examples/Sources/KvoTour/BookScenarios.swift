import KeyValueObserving

@KeyValueObservable
private final class Person {
  var books = ["Notes", "Sketch"]
}

extension Scenario {
  static let books = Scenario(
    "books", on: .toManyRelationships,
    "elements are inserted, replaced and removed; changes contain the elements and their indexes"
  ) { printer in
    let person = Person()
    let books = person.mutableArrayValue(for: \.books)
    printer.step("observe books, which are \(books), with old and new")
    let observation = person.kvo.books.observe(options: [.old, .new]) { _, change in
      printer.heard("books \(change)")
    }
    printer.step("books.insert(\"Letters\", at: 1)")
    books.insert("Letters", at: 1)
    printer.step("books[0] = \"Essays\"")
    books[0] = "Essays"
    printer.step("books.remove(at: 2)")
    books.remove(at: 2)
    printer.step("insert two at once, at 0 and 3, their indexes afterwards")
    books.insert(contentsOf: ["Atlas", "Diary"], at: RangeSet([0..<1, 3..<4]))
    printer.step("swapAt(0, 3) replaces two")
    books.swapAt(0, 3)
    printer.step("remove both at once")
    books.remove(at: RangeSet([0..<1, 3..<4]))
    printer.step("replaceSubrange(0..<1, with: two): the counts differ, so it removes and inserts")
    books.replaceSubrange(0..<1, with: ["Odes", "Plays"])
    printer.step("move(from: 0, to: 1)")
    books.move(from: 0, to: 1)
    printer.step("sort()")
    books.sort()
    printer.step("removeAll(), and once more, when there is nothing to report")
    books.removeAll()
    books.removeAll()
    withExtendedLifetime(observation) {}
  }

  static let elementChanges = Scenario(
    "elementChanges", on: .toManyRelationships,
    "plain Swift mutations, reported as insertions and removals"
  ) { printer in
    let person = Person()
    printer.step("observe books, which are \(person.books), with old and new")
    let first = person.kvo.books.observe(options: [.old, .new]) { _, change in
      printer.heard("whole: \(change)")
    }
    printer.step("observe them once more, with elementChanges as well")
    let second = person.kvo.books.observe(options: [.old, .new, .elementChanges]) { _, change in
      printer.heard("parts: \(change)")
    }
    printer.step("person.books.append(\"Letters\")")
    person.books.append("Letters")
    printer.step("person.books[0] = \"Essays\"")
    person.books[0] = "Essays"
    printer.step("person.books.removeAll { $0.hasPrefix(\"S\") }")
    person.books.removeAll { $0.hasPrefix("S") }
    printer.step("person.books = [\"Atlas\", \"Letters\", \"Zoology\"]")
    person.books = ["Atlas", "Letters", "Zoology"]
    printer.step("person.books.sort(by: >)")
    person.books.sort(by: >)
    printer.step("the same again: no part has changed, but it has been set")
    person.books.sort(by: >)
    withExtendedLifetime((first, second)) {}
  }
}
