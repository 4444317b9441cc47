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
