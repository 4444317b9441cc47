import Testing

@Suite("The tour: ordered to-many properties")
struct TransactionTourTests {
  @Test("An ordered to-many property notifies through its proxy or by hand")
  func transactions() throws {
    let text = try printed("transactions")
    #expect(
      text == #"""
        transactions: an ordered to-many property, through its proxy and by hand (page To-many relationships)
          automatically: the proxy reports each change
          > observe transactions with old and new
          > mutableArrayValue(forKey: "transactions").append(rent)
              transactions insertion, indexes: 0, new: [Rent 900.0]
          > the typed proxy: append(contentsOf: power and cable)
              transactions insertion, indexes: 1–2, new: [Power 120.0, Cable 35.0]
          > removeFirst()
              transactions removal, indexes: 0, old: [Rent 900.0]
          > without the proxy, account.transactions = [rent] sets the whole array
              transactions setting, old: [Power 120.0, Cable 35.0], new: [Rent 900.0]
          by hand: willChange and didChange name the kind and the indexes
          > observe transactions with prior, old and new
          > insertTransactions([rent, power, cable], at: 0–2)
              transactions insertion, indexes: 0–2, prior; there are 0
              transactions insertion, indexes: 0–2, new: [Rent 900.0, Power 120.0, Cable 35.0]; there are 3
          > removeTransactions(at: 0, 2)
              transactions removal, indexes: 0, 2, old: [Rent 900.0, Cable 35.0], prior; there are 3
              transactions removal, indexes: 0, 2, old: [Rent 900.0, Cable 35.0]; there are 1
        """#)
  }

  @Test("Changes contain the elements inserted, replaced or removed, and their indexes")
  func books() throws {
    let text = try printed("books")
    #expect(
      text == #"""
        books: elements are inserted, replaced and removed; changes contain the elements and their indexes (page To-many relationships)
          > observe books, which are ["Notes", "Sketch"], with old and new
          > books.insert("Letters", at: 1)
              books insertion, indexes: 1, new: ["Letters"]
          > books[0] = "Essays"
              books replacement, indexes: 0, old: ["Notes"], new: ["Essays"]
          > books.remove(at: 2)
              books removal, indexes: 2, old: ["Sketch"]
          > insert two at once, at 0 and 3, their indexes afterwards
              books insertion, indexes: 0, 3, new: ["Atlas", "Diary"]
          > swapAt(0, 3) replaces two
              books replacement, indexes: 0, 3, old: ["Atlas", "Diary"], new: ["Diary", "Atlas"]
          > remove both at once
              books removal, indexes: 0, 3, old: ["Diary", "Atlas"]
          > replaceSubrange(0..<1, with: two): the counts differ, so it removes and inserts
              books removal, indexes: 0, old: ["Essays"]
              books insertion, indexes: 0–1, new: ["Odes", "Plays"]
          > move(from: 0, to: 1)
              books removal, indexes: 0, old: ["Odes"]
              books insertion, indexes: 1, new: ["Odes"]
          > sort()
              books replacement, indexes: 0–2, old: ["Plays", "Odes", "Letters"], new: ["Letters", "Odes", "Plays"]
          > removeAll(), and once more, when there is nothing to report
              books removal, indexes: 0–2, old: ["Letters", "Odes", "Plays"]
        """#)
  }

  @Test("With elementChanges, plain mutations are reported as insertions and removals")
  func elementChanges() throws {
    let text = try printed("elementChanges")
    #expect(
      text == #"""
        elementChanges: plain Swift mutations, reported as insertions and removals (page To-many relationships)
          > observe books, which are ["Notes", "Sketch"], with old and new
          > observe them once more, with elementChanges as well
          > person.books.append("Letters")
              whole: setting, old: ["Notes", "Sketch"], new: ["Notes", "Sketch", "Letters"]
              parts: insertion, indexes: 2, new: ["Letters"]
          > person.books[0] = "Essays"
              whole: setting, old: ["Notes", "Sketch", "Letters"], new: ["Essays", "Sketch", "Letters"]
              parts: replacement, indexes: 0, old: ["Notes"], new: ["Essays"]
          > person.books.removeAll { $0.hasPrefix("S") }
              whole: setting, old: ["Essays", "Sketch", "Letters"], new: ["Essays", "Letters"]
              parts: removal, indexes: 1, old: ["Sketch"]
          > person.books = ["Atlas", "Letters", "Zoology"]
              whole: setting, old: ["Essays", "Letters"], new: ["Atlas", "Letters", "Zoology"]
              parts: removal, indexes: 0, old: ["Essays"]
              parts: insertion, indexes: 0, 2, new: ["Atlas", "Zoology"]
          > person.books.sort(by: >)
              whole: setting, old: ["Atlas", "Letters", "Zoology"], new: ["Zoology", "Letters", "Atlas"]
              parts: removal, indexes: 0–1, old: ["Atlas", "Letters"]
              parts: insertion, indexes: 1–2, new: ["Letters", "Atlas"]
          > the same again: no part has changed, but it has been set
              whole: setting, old: ["Zoology", "Letters", "Atlas"], new: ["Zoology", "Letters", "Atlas"]
              parts: setting, old: ["Zoology", "Letters", "Atlas"], new: ["Zoology", "Letters", "Atlas"]
        """#)
  }
}
