import KeyValueObserving
import KeyValueTestSupport
import Testing

private struct Refusal: Error {}

/// The address of the array's elements.
private func address<Element>(_ array: [Element]) -> UnsafeRawPointer? {
  array.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
}

@Suite("X4. Transactions: a changed collection is compared once")
struct TransactionElementsTests {
  private let log = ChangeLog()
  private let reads = ReadCounter()
  private let chest = Chest()

  private func watch(
    _ keyPath: String, _ options: KeyValueObservingOptions = [.old, .new]
  ) throws -> KeyValueObservation {
    try chest.observe(keyPath, options: options, changeHandler: log.handler(keyPath))
  }

  private func recount() throws -> Recount {
    try Recount(chest, "pieces") { $0.pieces.map(\.weight) }
  }

  private func fail(_ body: () -> Void) {
    #expect(throws: Refusal.self) {
      try chest.performChanges(rollingBack: true) { _ in
        body()
        throw Refusal()
      }
    }
  }

  @Test("X4 Each observer is called once, with the values before and after all changes")
  func once() throws {
    chest.pieces = [Piece(1), Piece(2)]
    let tokens = [
      try watch("pieces.@sum.weight"), try watch("pieces.@max.weight"), try watch("pieces.weight"),
      try watch("piecesTotal"),
      chest.observe(
        \.pieces[sum: \.weight], options: [.old, .new], changeHandler: log.handler("typed")),
    ]
    chest.performChanges {
      $0.pieces.append(Piece(5))
      $0.pieces.swapAt(0, 2)
      $0.pieces += [Piece(7), $0.pieces[0]]
      $0.pieces.removeLast()
      $0.pieces.remove(at: 1)
      $0.mutableArrayValue(for: \.pieces).append(Piece(3))
      $0.pieces = $0.pieces.reversed()
      #expect(log.take() == [])
    }
    #expect(chest.pieces.map(\.weight) == [3, 7, 1, 5])
    #expect(
      log.take() == [
        "pieces.@sum.weight: setting, old: 3, new: 16",
        "pieces.@max.weight: setting, old: 2, new: 7",
        "pieces.weight: setting, old: [1, 2], new: [3, 7, 1, 5]",
        "piecesTotal: setting, old: 3, new: 16", "typed: setting, old: 3, new: 16",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("X4 An entering element is read once, however often the collection changes")
  func readOnce() throws {
    chest.pieces = (0..<20).map { Piece($0, reads: reads) }
    let token = try watch("pieces.@sum.counted", .new)
    _ = reads.take()
    let piece = Piece(100, reads: reads)
    chest.performChanges {
      $0.pieces.append(piece)
      for _ in 0..<10 { $0.pieces.swapAt(0, $0.pieces.count - 1) }
      $0.pieces.append(piece)
      $0.pieces.removeFirst()
      $0.pieces.append(Piece(1, reads: reads))
      $0.pieces.reverse()
      $0.performChanges { $0.pieces.insert(piece, at: 3) }
      #expect(reads.take() == 0)
    }
    #expect(reads.take() == 2)
    #expect(log.take() == ["pieces.@sum.counted: setting, new: 491"])
    token.invalidate()
  }

  @Test("X4 An element that enters and leaves in one transaction is neither attached nor read")
  func passing() throws {
    chest.pieces = [Piece(1)]
    let recount = try recount()
    let token = try watch("pieces.@sum.counted", .new)
    let piece = Piece(5, reads: reads)
    chest.performChanges {
      $0.pieces.append(piece)
      $0.pieces.append(piece)
      #expect(piece.isIdle && piece.observationInfo.isEmpty)
      $0.pieces.removeLast(2)
    }
    #expect(piece.isIdle && piece.observationInfo.isEmpty)
    #expect(reads.take() == 0)
    #expect(recount.expect(calls: 1, "the transaction") == [])
    #expect(log.take() == ["pieces.@sum.counted: setting, new: 1"])
    piece.weight = 6
    #expect(recount.expect(calls: 0, "the piece") == [] && log.take() == [])
    token.invalidate()
  }

  @Test("X4 After the transaction, an element that left doesn't notify, and one that entered does")
  func leaving() throws {
    let (leaving, staying, entering) = (Piece(1), Piece(2), Piece(3))
    chest.pieces = [leaving, staying, leaving]
    let recount = try recount()
    chest.performChanges {
      $0.pieces.removeLast()
      leaving.weight = 10
      $0.pieces.removeFirst()
      leaving.weight = 11
      $0.pieces.append(entering)
    }
    #expect(recount.expect(calls: 1, "the transaction") == [])
    #expect(leaving.isIdle && !entering.isIdle)
    leaving.weight = 12
    #expect(recount.expect(calls: 0, "the one that left") == [])
    entering.weight = 13
    #expect(recount.expect(calls: 1, "the one that entered") == [])
    recount.end()
    #expect(staying.isIdle && entering.isIdle)
  }

  @Test("X4 An element that entered and changes in the same transaction counts with its last value")
  func changedMeanwhile() throws {
    chest.pieces = [Piece(1)]
    let recount = try recount()
    let piece = Piece(5)
    chest.performChanges {
      $0.pieces.append(piece)
      piece.weight = 6
      $0.pieces.append(piece)
      piece.weight = 7
      $0.pieces[0].weight = 2
    }
    #expect(recount.expect(calls: 1, "the transaction") == [])
    #expect(recount.last == ["16", "7", "[2, 7, 7]", "16"])
  }

  @Test("X4 Elements that die in a transaction, and new ones at their addresses, count correctly")
  func deaths() throws {
    let recount = try recount()
    var problems: [String] = []
    for round in 0..<TestVolume.either(200, few: 50) {
      chest.performChanges {
        for step in 0..<3 {
          $0.pieces.append(Piece(round))
          if (round + step) % 2 == 0 { $0.pieces.removeFirst() }
          if $0.pieces.count > 3 { $0.pieces.removeLast(2) }
        }
        $0.pieces.append(Piece(round + 1))
      }
      problems += recount.expect(calls: 1, "\(round)")
      chest.pieces.last?.weight += 1
      problems += recount.expect(calls: 1, "\(round), then a weight")
    }
    #expect(problems == [])
  }

  @Test("X4 Sets, optional arrays and arrays of optionals are compared at the end, too")
  func kinds() throws {
    let recounts = [
      try Recount(chest, "kinds", isOrdered: false) { $0.kinds.map(\.weight) },
      try Recount(chest, "spares") { $0.spares.map { $0.map(\.weight) } },
      try Recount(chest, "gaps") { $0.gaps.map { $0?.weight } },
      try Recount(chest, "mixed") { $0.mixed.map(\.weight) },
    ]
    let (piece, passing) = (Piece(4), Piece(5))
    for round in 0..<3 {
      chest.performChanges {
        $0.kinds.formUnion([piece, passing])
        $0.kinds.insert(Piece(round))
        $0.kinds.remove(passing)
        $0.spares = round == 1 ? nil : [passing]
        $0.spares?.append(piece)
        $0.spares?.removeFirst()
        $0.gaps += [nil, passing, piece]
        $0.gaps.removeAll { $0 === passing || round == 2 && $0 == nil }
        $0.mixed.append(passing)
        $0.mixed.append(Tool(round))
        $0.mixed.removeAll { $0 === passing }
        piece.weight += 1
      }
      for recount in recounts { #expect(recount.expect(calls: 1, "round \(round)") == []) }
      #expect(passing.isIdle)
      piece.weight += 1
      let calls = [1, round == 1 ? 0 : 1, 1, 0]
      for (recount, calls) in zip(recounts, calls) {
        #expect(recount.expect(calls: calls, "weight in round \(round)") == [])
      }
    }
  }

  @Test("X4 Elements behind an object that's replaced in the transaction are followed")
  func replacedOwner() throws {
    let pallet = Pallet()
    let (first, second) = (Chest([Piece(1)]), Chest([Piece(2)]))
    pallet.chest = first
    let token = try pallet.observe(
      "chest.pieces.@sum.weight", options: [.old, .new], changeHandler: log.handler("sum"))
    let piece = Piece(10)
    pallet.performChanges {
      first.pieces.append(Piece(5))
      $0.chest = second
      second.pieces.append(piece)
      first.pieces.append(piece)
      second.pieces.removeFirst()
    }
    #expect(log.take() == ["sum: setting, old: 1, new: 10"])
    piece.weight = 11
    #expect(log.take() == ["sum: setting, old: 10, new: 11"])
    pallet.performChanges {
      second.pieces.append(piece)
      $0.chest = first
      $0.chest = second
      second.pieces.append(piece)
    }
    #expect(log.take() == ["sum: setting, old: 11, new: 33"])
    first.pieces.removeAll()
    first.pieces.append(piece)
    #expect(log.take() == [])
    token.invalidate()
    #expect(piece.isIdle && first.isIdle)
  }

  // MARK: Rolling back

  @Test("X4 After a nested level is rolled back, exactly the remaining elements are attached")
  func nestedRollback() throws {
    let (first, second, third) = (Piece(1), Piece(2), Piece(3))
    chest.pieces = [first, second]
    let recount = try recount()
    chest.performChanges { chest in
      chest.pieces.append(third)
      fail {
        chest.pieces.removeFirst()
        chest.pieces.append(Piece(50))
        chest.pieces.removeAll { $0 === third }
      }
      chest.pieces.swapAt(0, 2)
    }
    #expect(chest.pieces == [third, second, first])
    #expect(recount.expect(calls: 1, "the transaction") == [])
    for piece in [first, second, third] {
      #expect(!piece.isIdle)
      piece.weight += 10
      #expect(recount.expect(calls: 1, "a weight") == [])
    }
  }

  @Test("X4 If all changes are rolled back, no observer is called and nothing stays attached")
  func rollback() throws {
    let (first, passing) = (Piece(1), Piece(5))
    chest.pieces = [first, first]
    let recount = try recount()
    fail {
      chest.pieces.append(passing)
      chest.pieces.removeFirst(2)
    }
    #expect(recount.expect(calls: 0, "the rollback") == [])
    #expect(chest.pieces == [first, first] && passing.isIdle)
    chest.performChanges { chest in
      fail { chest.pieces = [passing] }
      passing.weight = 6
    }
    #expect(recount.expect(calls: 0, "the nested rollback") == [])
    #expect(passing.isIdle && passing.weight == 6)
    first.weight = 2
    #expect(recount.expect(calls: 1, "a weight") == [])
  }

  @Test("X2 X4 A change of an element that entered in the same transaction is rolled back with it")
  func enteredAndChanged() throws {
    chest.pieces = [Piece(1)]
    let token = try watch("pieces.@sum.weight")
    let piece = Piece(5)
    fail {
      chest.pieces.append(piece)
      piece.weight = 6
    }
    #expect(piece.weight == 5 && chest.pieces.count == 1)
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test("X4 P5 After a rollback, a death behind an element notifies in the same transaction")
  func deathAfterRollback() throws {
    let piece = Piece(1)
    var maker: Piece? = Piece(2)
    piece.maker = maker
    chest.pieces = [piece]
    let token = try watch("pieces.@sum.maker.weight", .new)
    KeyValueTransaction.perform {
      fail { chest.pieces.append(Piece(5)) }
      maker = nil
    }
    #expect(piece.maker == nil && maker == nil)
    #expect(log.take() == ["pieces.@sum.maker.weight: setting, new: 0"])
    token.invalidate()
  }

  @Test("X4 P5 After a transaction, a death behind an element notifies")
  func deathAfterwards() throws {
    let piece = Piece(1)
    var maker: Piece? = Piece(2)
    piece.maker = maker
    chest.pieces = [piece]
    let token = try watch("pieces.@sum.maker.weight", .new)
    chest.performChanges {
      $0.pieces.append(Piece(5))
      $0.pieces.append(piece)
    }
    maker = nil
    #expect(piece.maker == nil && maker == nil)
    #expect(
      log.take() == [
        "pieces.@sum.maker.weight: setting, new: 4", "pieces.@sum.maker.weight: setting, new: 0",
      ])
    token.invalidate()
  }

  @Test(
    "X4 P5 After a transaction's insertions, of which another observer is told, a death notifies")
  func deathAfterInsertions() throws {
    let piece = Piece(1)
    var maker: Piece? = Piece(2)
    piece.maker = maker
    chest.pieces = [piece]
    let tokens = [try watch("pieces.@sum.maker.weight", .new), try watch("pieces", .new)]
    chest.performChanges {
      let pieces = $0.mutableArrayValue(for: \.pieces)
      pieces.append(Piece(5))
      pieces.append(piece)
    }
    #expect(
      log.take().map { $0.prefix { $0 != "," } } == [
        "pieces.@sum.maker.weight: setting", "pieces: insertion",
      ])
    maker = nil
    #expect(piece.maker == nil && maker == nil)
    #expect(log.take() == ["pieces.@sum.maker.weight: setting, new: 0"])
    for token in tokens { token.invalidate() }
  }

  // MARK: Manual pairs

  @Test("X4 M1 A pair that outlasts the transaction is followed at its end, by every observer")
  func outlastingPair() throws {
    let tokens = [try watch("pile.@sum.weight"), try watch("pile.@max.weight")]
    let piece = Piece(3)
    chest.performChanges { $0.willChangeValue(forKey: "pile") }
    chest.pile.append(piece)
    chest.didChangeValue(forKey: "pile")
    #expect(
      log.take() == [
        "pile.@sum.weight: setting, old: 0, new: 3", "pile.@max.weight: setting, old: nil, new: 3",
      ])
    piece.weight = 4
    #expect(
      log.take() == [
        "pile.@sum.weight: setting, old: 3, new: 4", "pile.@max.weight: setting, old: 3, new: 4",
      ])
    for token in tokens { token.invalidate() }
    #expect(piece.isIdle)
  }

  @Test("X4 M1 A pair that outlasts a rolled-back level notifies with the value after it")
  func pairAfterRollback() throws {
    let token = try watch("pile.@sum.weight")
    let piece = Piece(3)
    chest.performChanges { chest in
      fail { chest.willChangeValue(forKey: "pile") }
      chest.pile.append(piece)
      chest.didChangeValue(forKey: "pile")
      #expect(log.take() == ["pile.@sum.weight: setting, old: 0, new: 3"])
    }
    #expect(log.take() == [])
    piece.weight = 4
    #expect(log.take() == ["pile.@sum.weight: setting, old: 3, new: 4"])
    token.invalidate()
  }

  @Test("X4 N2 A pair of an element that entered in the transaction notifies if it outlasts it")
  func enteredPair() throws {
    chest.pieces = [Piece(1)]
    let token = try watch("pieces.@sum.weight")
    let piece = Piece(5)
    chest.performChanges {
      $0.pieces.append(piece)
      piece.willChangeValue(forKey: "weight")
    }
    #expect(log.take() == ["pieces.@sum.weight: setting, old: 1, new: 6"])
    piece.didChangeValue(forKey: "weight")
    #expect(log.take() == ["pieces.@sum.weight: setting, old: 6, new: 6"])
    token.invalidate()
  }

  @Test("X4 N2 A pair of an element that left in the transaction doesn't notify if it outlasts it")
  func leftPair() throws {
    let piece = Piece(5)
    chest.pieces = [Piece(1), piece]
    let token = try watch("pieces.@sum.weight")
    chest.performChanges {
      $0.pieces.removeLast()
      piece.willChangeValue(forKey: "weight")
    }
    #expect(log.take() == ["pieces.@sum.weight: setting, old: 6, new: 1"])
    piece.didChangeValue(forKey: "weight")
    #expect(log.take() == [])
    token.invalidate()
  }

  // MARK: Others in the same transaction

  @Test("X4 A recorder records each change of a transaction in which others compare once")
  func recorder() throws {
    let (first, second) = (Piece(1), Piece(2))
    chest.pieces = [first]
    let recorder = KeyValueChangeRecorder()
    try recorder.record(chest, "pieces", "pieces.weight")
    let recount = try recount()
    chest.performChanges {
      $0.pieces.append(second)
      second.weight = 20
      $0.pieces.removeFirst()
      first.weight = 10
      $0.pieces += [first, second]
      first.weight = 11
    }
    #expect(recount.expect(calls: 1, "the transaction") == [])
    #expect(try chest.performChanges { _ in try recorder.undo() })
    // While it wasn't in the chest, a piece's change wasn't recorded.
    #expect(chest.pieces == [first] && first.weight == 10 && second.weight == 2)
    #expect(recount.expect(calls: 1, "undoing") == [])
    #expect(second.isIdle && !recorder.canUndo)
    #expect(try chest.performChanges { _ in try recorder.redo() })
    #expect(chest.pieces == [second, first, second] && first.weight == 11 && second.weight == 20)
    #expect(recount.expect(calls: 1, "redoing") == [])
  }

  @Test("X4 An observer that comes in the middle of the transaction counts what's there")
  func latecomer() throws {
    chest.pieces = [Piece(1)]
    let first = try recount()
    var late: Recount?
    try chest.performChanges {
      $0.pieces.append(Piece(2))
      late = try recount()
      $0.pieces.append(Piece(4))
    }
    #expect(first.expect(calls: 1, "the first") == [])
    #expect(late?.expect(calls: 1, "the late one") == [])
    chest.pieces.removeLast()
    #expect(first.expect(calls: 1, "the first, then") == [])
    #expect(late?.expect(calls: 1, "the late one, then") == [])
  }

  @Test("X4 An observer that ends in the transaction leaves nothing attached")
  func ended() throws {
    let (old, new) = (Piece(1), Piece(2))
    chest.pieces = [old]
    let recount = try recount()
    chest.performChanges {
      $0.pieces.append(new)
      recount.end()
      $0.pieces.append(new)
    }
    #expect(recount.expect(calls: 0, "the end") == [])
    #expect(old.isIdle && new.isIdle && chest.isIdle)
  }

  @Test(
    "N11 X4 In a transaction, changing in place copies an array whose old value is requested once",
    arguments: [false, true], [false, true])
  func copies(isLookedThrough: Bool, mayRollBack: Bool) throws {
    chest.pieces = (0..<16).map { Piece($0) }
    var tokens = [try watch("pieces")]
    if isLookedThrough { tokens.append(try watch("pieces.@sum.weight")) }
    let before = chest.pieces.map(\.weight)
    chest.performChanges(rollingBack: mayRollBack) { chest in
      chest.pieces.append(Piece(16))
      chest.pieces.reserveCapacity(1_000)
      let start = address(chest.pieces)
      for number in 17..<40 { chest.pieces.append(Piece(number)) }
      chest.pieces.swapAt(0, 5)
      chest.pieces.removeLast()
      chest.performChanges { $0.pieces[3] = Piece(3) }
      #expect(address(chest.pieces) == start)
    }
    #expect(before == Array(0..<16))
    let lines = log.take()
    #expect(lines.count == (isLookedThrough ? 2 : 1))
    #expect(
      lines.last == (isLookedThrough ? "pieces.@sum.weight: setting, old: 120, new: 741" : lines[0])
    )
    for token in tokens { token.invalidate() }
  }
}
