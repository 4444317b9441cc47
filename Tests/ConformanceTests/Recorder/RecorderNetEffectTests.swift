import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A value that can't be compared.
private struct Token: Codable {
  var number: Int
}

@KeyValueObservable
private final class Desk {
  var number = 1
  var title = "a"
  var token = Token(number: 1)
  var lines = ["a", "b", "c"]
  var tokens = [Token(number: 1)]
  var tags: Set<Int> = [1, 2]
  var lamps: [Lamp] = []
  @NotifiesManually var count = 0
}

@KeyValueObservable
private final class Lamp {
  var power = 0
}

@KeyValueObservable
private final class Hall {
  final class Seat {}
  var seats: [Seat?] = [Seat(), nil]
}

@Suite("X3 A level whose changes take each other back doesn't exist")
struct RecorderNetEffectTests {
  private static let keys = [
    "number", "title", "token", "lines", "tokens", "tags", "lamps", "count",
  ]

  /// What makes several changes one level.
  enum Together: CaseIterable {
    case group, transaction
  }

  private func recorder(of desk: Desk, isGraph: Bool) throws -> KeyValueChangeRecorder {
    let recorder = KeyValueChangeRecorder()
    if isGraph {
      try recorder.record(graph: desk)
    } else {
      try recorder.record(desk, RecorderNetEffectTests.keys)
    }
    return recorder
  }

  /// Makes the changes in a group and in a transaction, of recorded paths and graphs, between a level to undo
  /// and one to redo.
  ///
  /// `areKept` is whether there's a level for them.
  private func check(
    _ desk: () -> Desk = { Desk() }, areKept: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation, _ changes: (Desk) -> Void
  ) throws {
    for isGraph in [false, true] {
      for together in Together.allCases {
        let desk = desk()
        let recorder = try recorder(of: desk, isGraph: isGraph)
        desk.count = 0
        desk.title = "b"
        desk.title = "c"
        try recorder.undo()
        switch together {
        case .group: recorder.group { changes(desk) }
        case .transaction: desk.performChanges { changes($0) }
        }
        let levels = areKept ? "2 levels to undo, 0 to redo" : "1 level to undo, 1 to redo"
        #expect(
          recorder.description.hasSuffix(levels + ")"), "\(isGraph) \(together) \(recorder)",
          sourceLocation: sourceLocation)
        if areKept {
          try recorder.undo()
        } else {
          #expect(try recorder.redo() && desk.title == "c", sourceLocation: sourceLocation)
          try recorder.undo()
        }
        try recorder.undo()
        #expect(desk.title == "a" && !recorder.canUndo, sourceLocation: sourceLocation)
      }
    }
  }

  @Test("Settings that lead back") func settings() throws {
    try check { desk in
      desk.number = 2
      desk.title = "x"
      desk.number = 3
      desk.title = "b"
      desk.number = 1
    }
    try check(areKept: true) { desk in
      desk.number = 2
      desk.title = "x"
      desk.number = 3
      desk.title = "b"
    }
  }

  @Test("Elements that enter and leave again, and those that return to their places")
  func ordered() throws {
    try check { desk in
      let lines = desk.mutableArrayValue(for: \.lines)
      lines.append("x")
      lines.removeLast()
    }
    try check { desk in
      let lines = desk.mutableArrayValue(for: \.lines)
      lines.remove(at: RangeSet([0..<1, 2..<3]))
      lines.insert(contentsOf: ["a", "c"], at: RangeSet([0..<1, 2..<3]))
      lines[1] = "y"
      lines.swapAt(0, 2)
      lines.swapAt(0, 2)
      lines[1] = "b"
    }
    try check { desk in
      let lines = desk.mutableArrayValue(for: \.lines)
      lines.remove(at: 0)
      lines.insert("a", at: 0)
      lines.append("x")
      desk.lines = ["a", "b", "c"]
    }
    try check(areKept: true) { desk in
      let lines = desk.mutableArrayValue(for: \.lines)
      lines.remove(at: 0)
      lines.append("a")
    }
    try check(areKept: true) { desk in
      let lines = desk.mutableArrayValue(for: \.lines)
      lines.append("x")
      desk.lines = ["a", "b"]
    }
  }

  @Test("Elements of a set") func unordered() throws {
    try check { desk in
      let tags = desk.mutableSetValue(for: \.tags)
      tags.formUnion([3, 4])
      tags.subtract([1, 3])
      tags.formUnion([1])
      tags.subtract([4])
    }
    try check { desk in
      desk.mutableSetValue(for: \.tags).formUnion([3])
      desk.tags = [1, 2]
    }
    try check(areKept: true) { desk in
      let tags = desk.mutableSetValue(for: \.tags)
      tags.formUnion([3])
      tags.subtract([1])
    }
  }

  @Test("A change that does nothing by itself") func single() throws {
    try check { desk in
      desk.mutableArrayValue(for: \.lines)[1] = "b"
      desk.mutableArrayValue(for: \.lines).remove(at: RangeSet())
    }
  }

  @Test("A change that does nothing, and in which an observer changes another key")
  func answeredWithoutEffect() throws {
    let desk = Desk()
    let token = desk.kvo.tags.observe { desk, _ in desk.number += 1 }
    let recorder = try recorder(of: desk, isGraph: false)
    recorder.group {
      desk.title = "x"
      desk.mutableSetValue(for: \.tags).insert(1)
      desk.mutableSetValue(for: \.tags).insert(2)
      desk.title = "y"
    }
    token.invalidate()
    #expect(try recorder.undo() && desk.title == "a" && desk.number == 1 && !recorder.canUndo)
    #expect(try recorder.redo() && desk.title == "y" && desk.number == 3)
  }

  @Test("Objects that enter and leave, and one that leaves and returns") func objects() throws {
    try check { desk in
      let lamp = Lamp()
      desk.lamps.append(lamp)
      lamp.power = 1
      desk.lamps.removeLast()
    }
    let lamp = Lamp()
    try check({
      let desk = Desk()
      desk.lamps = [lamp, Lamp()]
      return desk
    }) { desk in
      desk.lamps.removeFirst()
      desk.lamps.insert(lamp, at: 0)
    }
    try check(
      {
        let desk = Desk()
        desk.lamps = [lamp, Lamp()]
        return desk
      }, areKept: true
    ) { desk in
      desk.lamps.removeFirst()
      desk.lamps.append(lamp)
    }
  }

  @Test("Values that can't be compared count as changed") func incomparable() throws {
    let desk = Desk()
    let recorder = try recorder(of: desk, isGraph: false)
    recorder.group {
      desk.token.number = 2
      desk.token.number = 1
    }
    recorder.group {
      desk.mutableArrayValue(for: \.tokens).append(Token(number: 2))
      desk.mutableArrayValue(for: \.tokens).removeLast()
    }
    recorder.group {
      desk.mutableArrayValue(for: \.tokens)[0] = Token(number: 2)
      desk.mutableArrayValue(for: \.tokens)[0] = Token(number: 1)
    }
    #expect("\(recorder)".hasSuffix(" 3 levels to undo, 0 to redo)"))
  }

  @Test("A group that ends inside a change is judged when that has done nothing")
  func endsInside() throws {
    for end in [0, 1] {
      let desk = Desk()
      let recorder = try recorder(of: desk, isGraph: false)
      recorder.beginGrouping()
      desk.number = 2
      desk.number = 1
      desk.willChangeValue(forKey: "count")
      desk.count = end
      recorder.endGrouping()
      desk.didChangeValue(forKey: "count")
      #expect(recorder.canUndo == (end == 1))
      #expect(try recorder.undo() == (end == 1) && desk.count == 0)
    }
  }

  @Test("A transaction that is rolled back, after an undo inside it, leaves what there was")
  func rolledBack() throws {
    struct Stop: Error {}
    let desk = Desk()
    let recorder = try recorder(of: desk, isGraph: false)
    desk.number = 2
    try? desk.performChanges(rollingBack: true) { desk in
      try recorder.undo()
      desk.title = "x"
      throw Stop()
    }
    #expect("\(recorder)".hasSuffix(" 1 level to undo, 0 to redo)") && desk.number == 2)
    try desk.performChanges { desk in
      try recorder.undo()
      desk.title = "x"
      desk.title = "a"
    }
    #expect(try recorder.redo() && desk.number == 2)
  }

  @Test("What answers an undo and takes it back leaves nothing to redo") func answered() throws {
    let desk = Desk()
    desk.count = 5
    let recorder = try recorder(of: desk, isGraph: false)
    desk.number = 2
    let token = desk.kvo.number.observe { desk, _ in if desk.number != 2 { desk.number = 2 } }
    #expect(try recorder.undo() && desk.number == 2 && !recorder.canRedo)
    token.invalidate()
    withExtendedLifetime(recorder) {}
  }

  @Test("Changes of an object that has died change nothing", arguments: Together.allCases)
  func died(_ together: Together) throws {
    for others in [[], [2, 1]] {
      let desk = Desk()
      desk.lamps = [Lamp()]
      let recorder = KeyValueChangeRecorder()
      try recorder.record(desk, "number", "title", "lamps.power")
      desk.title = "b"
      try recorder.undo()
      func changes() {
        desk.lamps[0].power = 1
        desk.lamps = []
        for number in others { desk.number = number }
      }
      switch together {
      case .group: recorder.group(changes)
      case .transaction: desk.performChanges { _ in changes() }
      }
      #expect(!recorder.canUndo)
      #expect(try recorder.redo() && desk.title == "b")
    }
  }

  @Test("Assigning the same optional objects is no change")
  func sameOptionalObjects() throws {
    let hall = Hall()
    let seats = hall.seats
    let recorder = KeyValueChangeRecorder()
    try recorder.record(hall, "seats")
    hall.seats = seats
    #expect(!recorder.canUndo)
    hall.seats = [nil]
    hall.seats = seats.reversed()
    #expect(try recorder.undo() && hall.seats.count == 1)
    #expect(try recorder.undo() && hall.seats.map { $0 === seats[0] } == [true, false])
  }

  @Test("All that is forgotten inside a group stays forgotten") func forgotten() throws {
    let desk = Desk()
    let recorder = try recorder(of: desk, isGraph: false)
    desk.title = "b"
    try recorder.undo()
    recorder.group {
      desk.number = 2
      recorder.removeAll()
      desk.number = 3
      desk.number = 2
    }
    #expect(!recorder.canUndo && !recorder.canRedo)
  }
}
