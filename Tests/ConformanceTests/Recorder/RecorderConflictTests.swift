import KeyValueObserving
import KeyValueTestSupport
import Testing

private struct Reading: Codable, Equatable {
  var x = Double.nan
  var y = 0
}

@KeyValueObservable
private final class Draft {
  var lines: [String] = []
  var tags: Set<String> = []
  var mean = 1.0
  var means: [Double] = []
  var best: Double?
  var reading = Reading()

  required init() {}
}

/// A class whose property observer changes a recorded collection through a proxy.
@KeyValueObservable
private final class Bookmark {
  var isFavourite = false {
    didSet {
      let tags = mutableSetValue(for: \.tags)
      if isFavourite { tags.insert("favourite") } else { tags.remove("favourite") }
    }
  }
  var tags: Set<String> = []
}

@Suite("X3 What a recorder does where a key isn't what it left")
struct RecorderConflictTests {
  private let draft = Draft()
  private let recorder = KeyValueChangeRecorder()

  @Test("X3 elements that another writer has put in are neither taken out nor replaced")
  func othersElements() throws {
    let log = try KeyValueChangeLog(of: draft)
    let id = try #require(log.id(of: draft))
    try recorder.record(draft, "lines")
    let lines = draft.mutableArrayValue(for: \.lines)
    lines.append("mine")
    try log.apply(
      .init([.insert(id, key: "lines", indexes: RangeSet(0..<1), elements: ["theirs"])]), from: "b")
    #expect(draft.lines == ["theirs", "mine"])
    #expect(
      message { try recorder.undo() }
        == "Draft.lines can't be edited so: the last recorded change left \"mine\" at 0, and it's \"theirs\" now; "
        + "something changed it without being recorded. Set it back, or begin anew with the recorder's removeAll(), "
        + "and record what else changes it.")
    #expect(draft.lines == ["theirs", "mine"] && recorder.canUndo)
    try log.apply(
      .init([.remove(id, key: "lines", indexes: RangeSet(0..<1), elements: ["theirs"])]), from: "b")
    try recorder.undo()
    #expect(draft.lines == [])
    try recorder.redo()
    #expect(draft.lines == ["mine"])
    lines[0] = "own"
    try log.apply(
      .init([
        .replace(id, key: "lines", indexes: RangeSet(0..<1), old: ["own"], new: ["other"])
      ]), from: "b")
    #expect(message { try recorder.undo() }.contains("left \"own\" at 0, and it's \"other\" now"))
    #expect(draft.lines == ["other"])
  }

  @Test("X3 a member that another writer has put back, or taken out, contradicts the level")
  func othersMembers() throws {
    let log = try KeyValueChangeLog(of: draft)
    let id = try #require(log.id(of: draft))
    draft.tags = ["a"]
    try recorder.record(draft, "tags")
    draft.mutableSetValue(for: \.tags).remove("a")
    try log.apply(.init([.union(id, key: "tags", elements: ["a"])]), from: "b")
    #expect(
      message { try recorder.undo() }
        == "Draft.tags can't be edited so: the last recorded change removed \"a\", which is there now; something "
        + "changed it without being recorded. Set it back, or begin anew with the recorder's removeAll(), and "
        + "record what else changes it.")
    #expect(draft.tags == ["a"] && recorder.canUndo && !recorder.canRedo)
    try log.apply(.init([.subtract(id, key: "tags", elements: ["a"])]), from: "b")
    #expect(try recorder.undo() && draft.tags == ["a"])
    try log.apply(.init([.subtract(id, key: "tags", elements: ["a"])]), from: "b")
    #expect(message { try recorder.redo() }.contains("inserted \"a\", which isn't there now;"))
    #expect(draft.tags == [] && !recorder.canUndo && recorder.canRedo)
    try log.apply(.init([.union(id, key: "tags", elements: ["a"])]), from: "b")
    #expect(try recorder.redo() && draft.tags == [])
  }

  @Test("X3 members that the level hasn't moved aren't compared, nor those of a key that has ended")
  func otherMembers() throws {
    let log = try KeyValueChangeLog(of: draft)
    let id = try #require(log.id(of: draft))
    try recorder.record(draft, "tags")
    let tags = draft.mutableSetValue(for: \.tags)
    recorder.group {
      tags.insert("x")
      tags.remove("x")
      tags.formUnion(["x", "y"])
    }
    try log.apply(.init([.union(id, key: "tags", elements: ["z"])]), from: "b")
    #expect(try recorder.undo() && draft.tags == ["z"])
    #expect(try recorder.redo() && draft.tags == ["x", "y", "z"])
    recorder.stopRecording(draft, "tags")
    tags.remove("x")
    #expect(try recorder.undo() && draft.tags == ["z"])
    #expect(try recorder.redo() && draft.tags == ["y", "z"])
  }

  @Test("X3 what a didSet does to a set again while a level is undone is no conflict")
  func didAgain() throws {
    let bookmark = Bookmark()
    try recorder.record(bookmark, "isFavourite", "tags")
    bookmark.isFavourite = true
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(!bookmark.isFavourite && bookmark.tags == [])
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(bookmark.isFavourite && bookmark.tags == ["favourite"])
    }
  }

  @Test("X3 a value that doesn't equal itself is compared by its data")
  func notEqualToItself() throws {
    let log = try KeyValueChangeLog(of: draft)
    let id = try #require(log.id(of: draft))
    func set(_ y: KeyValueLogValue, was old: KeyValueLogValue) throws {
      let nan = KeyValueLogValue.number(.nan)
      let edit = KeyValueEdit.set(
        id, key: "reading", old: ["x": nan, "y": old], new: ["x": nan, "y": y])
      try log.apply(.init([edit]), from: "b")
    }
    try recorder.record(draft, "reading")
    draft.reading.y = 1
    try set(2, was: 1)
    #expect(message { try recorder.undo() }.contains("changed it without being recorded"))
    #expect(draft.reading.y == 2 && draft.reading.x.isNaN)
    try set(1, was: 2)
    try recorder.undo()
    #expect(draft.reading.y == 0 && draft.reading.x.isNaN)
  }

  @Test("X3 a number that isn't one is what it was, and its changes are undone")
  func notANumber() throws {
    try recorder.record(draft, "mean", "means", "best")
    draft.mean = .nan
    draft.mean = .nan
    draft.means = [1, .nan]
    draft.mutableArrayValue(for: \.means)[1] = 2
    draft.mutableArrayValue(for: \.means)[1] = .nan
    draft.best = .nan
    var levels = 0
    while try recorder.undo() { levels += 1 }
    #expect(levels == 5)
    #expect(draft.mean == 1 && draft.means == [] && draft.best == nil)
    while try recorder.redo() { levels -= 1 }
    #expect(levels == 0)
    #expect(draft.mean.isNaN && draft.means[1].isNaN && draft.best?.isNaN == true)
  }
}
