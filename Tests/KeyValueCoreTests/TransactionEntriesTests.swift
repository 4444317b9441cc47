import Testing

@testable import KeyValueCore

@Suite("TransactionEntries")
struct TransactionEntriesTests {
  private func observances(_ count: Int) -> [Observance] {
    (0..<count).map { _ in
      Observance(try! ObservedPath(ParsedKeyPath("key")), options: [], sink: { _, _, _ in })
    }
  }

  /// The deferral of each observance's entry.
  private func deferrals(_ entries: TransactionEntries, of observances: [Observance]) -> [UInt64?] {
    observances.map { observance in
      entries.place(of: observance).flatMap { entries[$0].deferral }
    }
  }

  @Test("Each entry is found and updated by its observance", arguments: [1, 8, 9, 10, 100])
  func found(_ count: Int) {
    let observances = observances(count)
    var entries = TransactionEntries()
    for (number, observance) in observances.shuffled().enumerated() {
      #expect(entries.place(of: observance) == nil)
      #expect(entries.append(TransactionEntry(unannounced: observance)) == number)
    }
    for observance in observances {
      let place = entries.place(of: observance)
      entries.update(at: place!) { $0.deferral = observance.number }
    }
    #expect(deferrals(entries, of: observances) == observances.map(\.number))
    #expect(Set(entries.all.map(\.observance.number)) == Set(observances.map(\.number)))
    #expect(entries.place(of: self.observances(1)[0]) == nil)
    entries.removeAll()
    #expect(observances.allSatisfy { entries.place(of: $0) == nil })
    #expect(entries.all.isEmpty)
  }

  @Test(
    "A failed part's entries are removed, and those that it changed put back",
    arguments: [0, 1, 6, 7, 8, 9, 12])
  func takenBack(_ count: Int) {
    let observances = observances(count + 3)
    var entries = TransactionEntries()
    func places() -> [Int?] { observances.map { entries.place(of: $0) } }
    for observance in observances.prefix(count) {
      entries.append(TransactionEntry(unannounced: observance))
    }
    var saved: [Int: TransactionEntries.Saved] = [:]
    if count > 0 {
      saved[count - 1] = entries.saved(count - 1)
      entries.update(at: count - 1) { $0.deferral = 7 }
    }
    for observance in observances.suffix(3) {
      entries.append(TransactionEntry(unannounced: observance))
    }
    let abandoned = entries.takeBack(to: count, saved)
    #expect(abandoned.count == 3 + saved.count)
    #expect(deferrals(entries, of: observances) == Array(repeating: nil, count: count + 3))
    let kept = (0..<count).map { Optional($0) }
    #expect(places() == kept + [nil, nil, nil])
    for observance in observances.suffix(3).reversed() {
      entries.append(TransactionEntry(unannounced: observance))
    }
    #expect(places() == kept + [count + 2, count + 1, count])
  }

  @Test("A copy is unaffected by later changes", arguments: [2, 8, 9])
  func copied(_ count: Int) {
    let observances = observances(count + 1)
    var entries = TransactionEntries()
    for observance in observances.dropLast() {
      entries.append(TransactionEntry(unannounced: observance))
    }
    let copy = entries
    entries.append(TransactionEntry(unannounced: observances[count]))
    entries.update(at: 0) { $0.deferral = 7 }
    #expect(copy.place(of: observances[count]) == nil)
    #expect(deferrals(copy, of: observances) == Array(repeating: nil, count: count + 1))
    #expect(entries.place(of: observances[count]) == count)
    #expect(deferrals(entries, of: observances)[0] == 7)
  }
}
