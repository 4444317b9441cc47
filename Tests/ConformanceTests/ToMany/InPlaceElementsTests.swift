import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A change of an array in plain Swift.
private struct ArrayStep: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let apply: @Sendable (inout [Piece]) -> Void

  init(_ name: String, _ apply: @escaping @Sendable (inout [Piece]) -> Void) {
    (testDescription, self.apply) = (name, apply)
  }

  /// Every operation; those that need elements do nothing in a shorter array.
  static let all: [ArrayStep] = [
    .init("append") { $0.append(Piece(40)) },
    .init("append again") { if let first = $0.first { $0.append(first) } },
    .init("append(contentsOf:)") { $0.append(contentsOf: [Piece(7), Piece(50)]) },
    .init("+=") { pieces in
      let piece = Piece(9)
      pieces += [piece, Piece(3), piece]
    },
    .init("insert") { $0.insert(Piece(30), at: $0.count / 2) },
    .init("insert(contentsOf:)") { $0.insert(contentsOf: [Piece(2), Piece(60)], at: 0) },
    .init("removeLast") { _ = $0.popLast() },
    .init("removeLast(2)") { $0.removeLast(min(2, $0.count)) },
    .init("removeFirst") { if !$0.isEmpty { $0.removeFirst() } },
    .init("removeFirst(2)") { $0.removeFirst(min(2, $0.count)) },
    .init("remove(at:)") { if !$0.isEmpty { $0.remove(at: $0.count / 2) } },
    .init("removeSubrange") { $0.removeSubrange($0.count / 3..<$0.count / 2) },
    .init("removeAll(where:)") { $0.removeAll { $0.weight % 3 == 0 } },
    .init("swapAt") { if $0.count > 1 { $0.swapAt(0, $0.count - 1) } },
    .init("subscript") { if !$0.isEmpty { $0[$0.count / 2] = Piece(11) } },
    .init("subscript with an element") { if $0.count > 1 { $0[0] = $0[$0.count - 1] } },
    .init("replaceSubrange") {
      $0.replaceSubrange($0.count / 3..<$0.count / 2, with: [Piece(5), Piece(80), Piece(5)])
    },
    .init("reverse") { $0.reverse() },
    .init("sort") { $0.sort { $0.weight < $1.weight } },
    .init("shuffle") { pieces in
      var random = SeededGenerator(seed: 5)
      pieces.shuffle(using: &random)
    },
    .init("move") { if $0.count > 2 { $0.insert($0.removeLast(), at: 1) } },
    .init("nothing") { _ in },
    .init("append and remove") {
      $0.append(Piece(99))
      $0.removeLast()
    },
    .init("removeLast and append") {
      _ = $0.popLast()
      $0.append(Piece(12))
    },
    .init("removeAll and append") {
      $0.removeAll()
      $0.append(Piece(14))
      $0.append(Piece(15))
    },
    .init("append a new one twice") { pieces in
      let piece = Piece(16)
      pieces += [piece, piece]
    },
    .init("removeLast(2) and append") {
      $0.removeLast(min(2, $0.count))
      $0.append(Piece(17))
    },
    .init("removeAll") { $0.removeAll() },
  ]
}

@KeyValueObservable
private final class Brick {
  var weight: Int

  init(_ weight: Int) {
    self.weight = weight
  }
}

/// As large as a brick, without its key.
@KeyValueObservable
private final class Stone {
  var mass: Int

  init(_ mass: Int) {
    self.mass = mass
  }
}

@Suite("P6, P7. Plain Swift changes of a collection that paths lead through")
struct InPlaceElementsTests {
  private let chest = Chest()

  private func watch() throws -> Recount {
    try Recount(chest, "pieces") { $0.pieces.map(\.weight) }
  }

  /// Changes the weight of each piece, of those in the chest and of others, and checks that only those in
  /// the chest are followed.
  private func changeAll(_ pieces: [Piece], _ recount: Recount, _ step: String) -> [String] {
    var problems: [String] = []
    for piece in Set(pieces) {
      let isIn = chest.pieces.contains(piece)
      piece.weight += 1
      problems += recount.expect(calls: isIn ? 1 : 0, "\(step), then a weight")
      if piece.isIdle == isIn { problems.append("\(step): idle is \(piece.isIdle)") }
    }
    return problems
  }

  @Test(
    "P7 One change, in place or by assignment, calls each observer once with the recounted values",
    arguments: ArrayStep.all)
  private func duplicates(step: ArrayStep) throws {
    let (one, two, three) = (Piece(10), Piece(20), Piece(30))
    let start = [one, two, one, three, two, one]
    for isCopied in [false, true] {
      chest.pieces = start
      let recount = try watch()
      var copy = chest.pieces
      if isCopied {
        step.apply(&copy)
        chest.pieces = copy
      } else {
        copy = []
        step.apply(&chest.pieces)
      }
      #expect(recount.expect(calls: 1, step.testDescription) == [])
      #expect(changeAll(start + chest.pieces, recount, step.testDescription) == [])
      recount.end()
      #expect(start.filter { !$0.isIdle } == [])
    }
  }

  @Test("P7 Elements that die as they leave, and new ones at their addresses, count correctly")
  func deaths() throws {
    let recount = try watch()
    var random = SeededGenerator(seed: 31)
    var problems: [String] = []
    var addresses: Set<ObjectIdentifier> = []
    var reuses = 0
    for round in 0..<TestVolume.either(400, few: 100) {
      let step = ArrayStep.all[Int.random(in: 0..<ArrayStep.all.count, using: &random)]
      step.apply(&chest.pieces)
      problems += recount.expect(calls: 1, "\(round) \(step.testDescription)")
      chest.pieces.append(Piece(round))
      problems += recount.expect(calls: 1, "\(round) append")
      let known = addresses
      addresses.formUnion(chest.pieces.map { ObjectIdentifier($0) })
      if let last = chest.pieces.last, known.contains(ObjectIdentifier(last)) { reuses += 1 }
      chest.pieces[chest.pieces.count / 2].weight += 1
      problems += recount.expect(calls: 1, "\(round) weight")
      if chest.pieces.count > 12 {
        chest.pieces.removeFirst(10)
        problems += recount.expect(calls: 1, "\(round) removeFirst(10)")
      }
    }
    #expect(problems == [])
    #expect(reuses > 0 || !allocatorReusesAddresses())
  }

  @Test(
    "P7 New elements at the addresses of several that died in the same change are followed",
    .enabled(if: allocatorReusesAddresses()))
  func reusedAddresses() throws {
    func renew(_ pieces: inout [Piece], _ weight: Int) {
      pieces.removeAll(keepingCapacity: true)
      for number in 0..<8 { pieces.append(Piece(weight + number)) }
    }
    let token = try chest.observe("pieces.@sum.weight", options: .new) { _, _ in }
    var problems: [String] = []
    var reuses = 0
    for round in 0..<20 {
      let before = Set(chest.pieces.map { ObjectIdentifier($0) })
      renew(&chest.pieces, round)
      reuses += chest.pieces.count { before.contains(ObjectIdentifier($0)) }
      problems += chest.pieces.filter(\.isIdle).map { "\(round): \($0.weight) isn't followed" }
    }
    #expect(problems == [])
    #expect(reuses > 0)
    token.invalidate()
  }

  @Test(
    "P7 R6 New elements at the addresses of others that lacked the key are followed",
    .enabled(if: allocatorReusesAddresses()))
  func reusedAddressesWithoutKey() throws {
    func renew(_ elements: inout [Any]) {
      elements.removeAll(keepingCapacity: true)
      for number in 0..<8 { elements.append(Brick(number)) }
    }
    let enterprise = Enterprise()
    let token = try enterprise.observe("anything.@sum.weight", options: .new) { _, _ in }
    var problems: [String] = []
    var reuses = 0
    ViolationLog.record { _ in
      for round in 0..<20 {
        enterprise.anything = (0..<8).map { Stone($0) }
        let before = Set(enterprise.anything.map { ObjectIdentifier($0 as AnyObject) })
        renew(&enterprise.anything)
        let bricks = enterprise.anything.compactMap { $0 as? Brick }
        reuses += bricks.count { before.contains(ObjectIdentifier($0)) }
        problems += bricks.filter(\.isIdle).map { "\(round): \($0.weight) isn't followed" }
      }
    }
    #expect(problems == [])
    #expect(reuses > 0)
    token.invalidate()
  }

  @Test("P7 Changes in place and a proxy's changes alternate")
  func proxies() throws {
    let (one, two) = (Piece(1), Piece(2))
    chest.pieces = [one, two, one]
    let recount = try watch()
    let proxy = chest.mutableArrayValue(for: \.pieces)
    let steps: [(String, () -> Void)] = [
      ("append", { chest.pieces.append(two) }), ("proxy append", { proxy.append(one) }),
      ("removeFirst", { chest.pieces.removeFirst() }), ("proxy remove", { proxy.remove(at: 0) }),
      ("swapAt", { chest.pieces.swapAt(0, 1) }), ("proxy swap", { proxy.swapAt(0, 2) }),
      ("insert", { chest.pieces.insert(Piece(5), at: 1) }),
      ("proxy replace", { proxy[1] = Piece(6) }), ("reverse", { chest.pieces.reverse() }),
      ("proxy insert", { proxy.insert(contentsOf: [two, Piece(8)], at: 1) }),
      ("removeAll(where:)", { chest.pieces.removeAll { $0 === two } }),
      ("proxy remove several", { proxy.remove(at: RangeSet([0..<1, 2..<3])) }),
      ("append last", { chest.pieces.append(two) }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
      #expect(changeAll([one, two] + chest.pieces, recount, name) == [])
    }
  }

  @Test("P7 Several observers of one collection follow it independently")
  func several() throws {
    chest.pieces = [Piece(1), Piece(2)]
    let first = try watch()
    chest.pieces.append(Piece(3))
    #expect(first.expect(calls: 1, "append") == [])
    let second = try watch()
    chest.pieces.swapAt(0, 2)
    chest.pieces[0].weight = 9
    _ = first.expect(calls: 2, "both")
    _ = second.expect(calls: 2, "both")
    chest.pieces.removeFirst()
    #expect(first.expect(calls: 1, "removeFirst") == [])
    #expect(second.expect(calls: 1, "removeFirst") == [])
    first.end()
    chest.pieces.append(chest.pieces[0])
    #expect(second.expect(calls: 1, "append again") == [])
    chest.pieces[0].weight = 7
    #expect(second.expect(calls: 1, "weight") == [])
    let piece = chest.pieces[0]
    #expect(!piece.isIdle)
    second.end()
    #expect(piece.isIdle && first.expect(calls: 0, "end") == [])
  }

  @Test("P7 An optional array is followed from nil, through elements, to nil")
  func optionalArray() throws {
    let recount = try Recount(chest, "spares") { $0.spares.map { $0.map(\.weight) } }
    let piece = Piece(4)
    let steps: [(String, () -> Void)] = [
      ("empty", { chest.spares = [] }), ("append", { chest.spares?.append(piece) }),
      ("append again", { chest.spares?.append(piece) }), ("+=", { chest.spares! += [Piece(9)] }),
      ("swapAt", { chest.spares?.swapAt(0, 2) }), ("weight", { piece.weight = 6 }),
      ("removeFirst", { _ = chest.spares?.removeFirst() }),
      ("new at once", { chest.spares?.append(Piece(3)) }),
      ("removeAll(where:)", { chest.spares?.removeAll { $0.weight == 3 } }),
      ("nil", { chest.spares = nil }), ("full", { chest.spares = [piece, Piece(1), piece] }),
      ("removeAll", { chest.spares?.removeAll() }),
      ("append last", { chest.spares?.append(piece) }),
      ("nil in place", { chest.spares.take().map { _ in } ?? () }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
    }
    #expect(piece.isIdle)
    piece.weight = 1
    #expect(recount.expect(calls: 0, "outside") == [])
  }

  @Test("P7 An array of optionals is followed with and without nil in it")
  func optionalElements() throws {
    let recount = try Recount(chest, "gaps") { $0.gaps.map { $0?.weight } }
    let piece = Piece(4)
    let steps: [(String, () -> Void)] = [
      ("append", { chest.gaps.append(piece) }), ("append nil", { chest.gaps.append(nil) }),
      ("append again", { chest.gaps.append(piece) }), ("weight", { piece.weight = 5 }),
      ("nil instead", { chest.gaps[0] = nil }), ("insert", { chest.gaps.insert(Piece(8), at: 1) }),
      ("removeAll(where:)", { chest.gaps.removeAll { $0 == nil } }),
      ("new at once", { chest.gaps.append(Piece(2)) }), ("reverse", { chest.gaps.reverse() }),
      ("removeLast", { chest.gaps.removeLast() }),
      ("assigned", { chest.gaps = [piece, nil, piece] }),
      ("sort", { chest.gaps.sort { ($0?.weight ?? 0) < ($1?.weight ?? 0) } }),
      ("removeAll", { chest.gaps.removeAll() }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
    }
    #expect(piece.isIdle)
  }

  @Test("P7 A proxy's changes of an array with nil in it and changes in place alternate")
  func proxyOfOptionals() throws {
    let (one, two) = (Piece(1), Piece(2))
    chest.gaps = [nil, one, two, nil]
    let recount = try Recount(chest, "gaps") { $0.gaps.map { $0?.weight } }
    let proxy = chest.mutableArrayValue(for: \.gaps)
    let steps: [(String, () -> Void)] = [
      ("proxy remove", { proxy.remove(at: 1) }), ("append nil", { chest.gaps.append(nil) }),
      ("proxy insert", { proxy.insert(one, at: 3) }), ("reverse", { chest.gaps.reverse() }),
      ("proxy replace", { proxy[1] = Piece(8) }), ("removeFirst", { chest.gaps.removeFirst() }),
      ("proxy append", { proxy.append(two) }), ("swapAt", { chest.gaps.swapAt(0, 1) }),
      ("proxy remove nil", { proxy.remove(at: 2) }), ("append", { chest.gaps.append(one) }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
    }
    two.weight = 20
    #expect(recount.expect(calls: 1, "weight") == [])
  }

  @Test("P7 Elements behind one that a proxy removed after a nil count once when the nil has left")
  func proxyBehindNil() throws {
    let two = Piece(2)
    chest.gaps = [nil, Piece(1), two]
    let recount = try Recount(chest, "gaps") { $0.gaps.map { $0?.weight } }
    chest.mutableArrayValue(for: \.gaps).remove(at: 1)
    #expect(recount.expect(calls: 1, "proxy remove") == [])
    chest.gaps.removeFirst()
    #expect(recount.expect(calls: 1, "removeFirst") == [])
    two.weight = 20
    #expect(recount.expect(calls: 1, "weight") == [])
    chest.gaps.removeLast()
    #expect(recount.expect(calls: 1, "removeLast") == [])
    #expect(two.isIdle)
  }

  @Test("P7 An array of an existential type is followed, with elements of several classes")
  func existentials() throws {
    let recount = try Recount(chest, "mixed") { $0.mixed.map(\.weight) }
    let (piece, tool) = (Piece(4), Tool(7))
    let steps: [(String, () -> Void)] = [
      ("append", { chest.mixed.append(piece) }), ("append tool", { chest.mixed.append(tool) }),
      ("append again", { chest.mixed.append(piece) }), ("weight", { piece.weight = 5 }),
      ("tool's weight", { tool.weight = 1 }), ("swapAt", { chest.mixed.swapAt(0, 1) }),
      ("subscript", { chest.mixed[2] = Tool(20) }), ("removeFirst", { chest.mixed.removeFirst() }),
      ("new at once", { chest.mixed.append(Tool(2)) }), ("reverse", { chest.mixed.reverse() }),
      ("+=", { chest.mixed += [Piece(1), tool] }), ("assigned", { chest.mixed = [tool, tool] }),
      ("removeAll", { chest.mixed.removeAll() }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
    }
    #expect(piece.isIdle && tool.isIdle)
  }

  @Test("P7 A property of type Any is followed through arrays and sets of several types")
  func anyCollection() throws {
    let recount = try Recount(chest, "anything") { chest in
      ((chest.anything as? [any Weighed]) ?? Array(chest.anything as? Set<Piece> ?? [])).map(
        \.weight)
    }
    let piece = Piece(4)
    let values: [(String, Any)] = [
      ("pieces", [piece, Piece(5)]), ("tools", [Tool(6), Tool(7)]), ("pieces again", [piece]),
      ("a set", [piece] as Set), ("tool", [Tool(1)]), ("nothing", [Piece]()),
    ]
    for (name, value) in values {
      chest.anything = value
      #expect(recount.expect(calls: 1, name) == [])
      let tool = (value as? [Tool])?.first
      tool?.weight += 10
      #expect(recount.expect(calls: tool == nil ? 0 : 1, "\(name), then a weight") == [])
    }
    #expect(piece.isIdle)
  }

  @Test("P7 A set is followed through insertions, removals, algebra and assignments")
  func sets() throws {
    let recount = try Recount(chest, "kinds", isOrdered: false) { $0.kinds.map(\.weight) }
    let (one, two, three) = (Piece(1), Piece(2), Piece(3))
    let steps: [(String, () -> Void)] = [
      ("insert", { chest.kinds.insert(one) }), ("insert again", { chest.kinds.insert(one) }),
      ("formUnion", { chest.kinds.formUnion([one, two, three]) }), ("weight", { two.weight = 9 }),
      ("remove", { chest.kinds.remove(one) }), ("remove again", { chest.kinds.remove(one) }),
      ("subtract", { chest.kinds.subtract([two, one]) }),
      ("insert mortal", { chest.kinds.insert(Piece(30)) }),
      ("formIntersection", { chest.kinds.formIntersection([three, one]) }),
      ("new at once", { chest.kinds.insert(Piece(40)) }),
      ("formSymmetricDifference", { chest.kinds.formSymmetricDifference([three, two]) }),
      ("assigned", { chest.kinds = [one, Piece(50)] }),
      ("update", { chest.kinds.update(with: one) }),
      ("removeAll", { chest.kinds.removeAll() }), ("last", { chest.kinds = [two, Piece(1)] }),
    ]
    for (name, step) in steps {
      step()
      #expect(recount.expect(calls: 1, name) == [])
    }
    #expect(one.isIdle && three.isIdle && !two.isIdle)
    three.weight = 4
    #expect(recount.expect(calls: 0, "outside") == [])
  }

  @Test("P7 A change in place or by assignment reads each new element once, and no other")
  func reads() throws {
    let reads = ReadCounter()
    chest.pieces = (0..<200).map { Piece($0, reads: reads) }
    let token = try chest.observe("pieces.@sum.counted", options: [.old, .new]) { _, _ in }
    _ = reads.take()
    let (kept, twice) = (Piece(5, reads: reads), Piece(6, reads: reads))
    let costs: [Int] = [
      { chest.pieces.append(kept) }, { chest.pieces.append(kept) }, { chest.pieces.swapAt(3, 170) },
      { chest.pieces.reverse() }, { chest.pieces.removeLast(20) }, { chest.pieces.removeFirst() },
      { chest.pieces[90] = kept }, { chest.pieces += [kept, Piece(1, reads: reads)] },
      { chest.pieces.replaceSubrange(40..<80, with: [Piece(2, reads: reads), kept]) },
      { chest.pieces = chest.pieces }, { chest.pieces += Array(repeating: twice, count: 2) },
      { chest.pieces.removeAll() },
    ].map { change in
      change()
      return reads.take()
    }
    #expect(costs == [1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0])
    token.invalidate()
  }
}
