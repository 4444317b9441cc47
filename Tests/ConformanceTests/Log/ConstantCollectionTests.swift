import KeyValueObserving
import KeyValueTestSupport
import Testing

private enum TaskStatus: String, Codable, CaseIterable {
  case idea, todo, doing, review, blocked, done, released, archived
}

@KeyValueObservable
private final class StatusColumn {
  var title = ""
}

@KeyValueObservable
private final class StatusBoard {
  let columns: [TaskStatus: StatusColumn] = Dictionary(
    uniqueKeysWithValues: TaskStatus.allCases.map { ($0, StatusColumn()) })
}

@KeyValueObservable
private final class NamedBoard {
  let columns: [String: StatusColumn] = Dictionary(
    uniqueKeysWithValues: TaskStatus.allCases.map { ($0.rawValue, StatusColumn()) })
}

/// Hashed by a constant.
@KeyValueObservable
private final class BoardMark: Hashable {
  let name: String
  var count = 0

  required init() { name = "" }
  init(_ name: String) { self.name = name }

  static func == (one: BoardMark, other: BoardMark) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

@KeyValueObservable
private final class MarkBoard {
  let marks: Set<BoardMark> = Set(TaskStatus.allCases.map { BoardMark($0.rawValue) })
}

/// Hashed by its identity.
@KeyValueObservable
private final class Pebble: Hashable {
  var weight = 0

  required init() {}

  static func == (one: Pebble, other: Pebble) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class PebbleBox {
  let pebbles: Set<Pebble> = Set((0..<8).map { _ in Pebble() })
}

@KeyValueObservable
private final class PebbleShelf {
  var box: PebbleBox?
}

@Suite("G. The objects of constant dictionaries and sets")
struct ConstantCollectionTests {
  @Test("G3 a constant dictionary's objects keep their keys, if these aren't strings")
  func byCase() throws {
    let board = StatusBoard()
    for (status, column) in board.columns { column.title = status.rawValue }
    let snapshot = try KeyValueSnapshot(json: KeyValueChangeLog(of: board).snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: StatusBoard.self)
    for (status, column) in copy.root.columns { #expect(column.title == status.rawValue) }
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("G3 so they do if they're strings") func byName() throws {
    let board = NamedBoard()
    for (name, column) in board.columns { column.title = name }
    let snapshot = try KeyValueSnapshot(json: KeyValueChangeLog(of: board).snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: NamedBoard.self)
    for (name, column) in copy.root.columns { #expect(column.title == name) }
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("G3 a constant set's objects are told apart by their constants") func marked() throws {
    let board = MarkBoard()
    func counts(_ board: MarkBoard) -> [Int] {
      TaskStatus.allCases.map { status in
        board.marks.first { $0.name == status.rawValue }?.count ?? -1
      }
    }
    for (index, status) in TaskStatus.allCases.enumerated() {
      board.marks.first { $0.name == status.rawValue }?.count = index
    }
    let snapshot = try KeyValueSnapshot(json: KeyValueChangeLog(of: board).snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: MarkBoard.self)
    #expect(counts(copy.root) == Array(0..<8))
    #expect(try copy.snapshot() == snapshot)
    // An older program's snapshot may not have them.
    var older = snapshot
    for id in snapshot.objects.keys where id != snapshot.root {
      older.objects[id]?.values["name"] = nil
    }
    let opened = try KeyValueChangeLog(restoring: older, as: MarkBoard.self)
    #expect(counts(opened.root).sorted() == Array(0..<8))
  }

  @Test("G3 those that nothing tells apart get their values and ids, each once")
  func unmarked() throws {
    let box = PebbleBox()
    for (index, pebble) in box.pebbles.enumerated() { pebble.weight = index }
    let snapshot = try KeyValueSnapshot(json: KeyValueChangeLog(of: box).snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: PebbleBox.self)
    #expect(copy.root.pebbles.map(\.weight).sorted() == Array(0..<8))
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("X3 a constant set's objects that come back are the same ones") func returning() throws {
    let (shelf, box) = (PebbleShelf(), PebbleBox())
    shelf.box = box
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: shelf)
    let pebbles = Array(box.pebbles)
    for (index, pebble) in pebbles.enumerated() { pebble.weight = index + 1 }
    shelf.box = nil
    #expect(try recorder.undo())
    #expect(shelf.box === box)
    for index in pebbles.indices.reversed() {
      #expect(pebbles[index].weight == index + 1)
      #expect(try recorder.undo())
      #expect(pebbles[index].weight == 0)
    }
    for _ in 0...pebbles.count { #expect(try recorder.redo()) }
    #expect(shelf.box == nil && pebbles.map(\.weight) == Array(1...8))
  }
}
