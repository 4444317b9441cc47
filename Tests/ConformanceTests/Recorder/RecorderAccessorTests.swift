import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Recording keys that only methods implement")
struct RecorderAccessorTests {
  private let recorder = KeyValueChangeRecorder()

  @Test(
    "Ordered keys are undone and redone, with and without batch and replacement methods",
    arguments: ["single", "replacing", "batch", "exchange", "full"])
  func ordered(key: String) throws {
    let playlist = Playlist()
    playlist.list = ["a", "b", "c"]
    try recorder.record(playlist, key)
    let songs = try playlist.mutableArrayValue(forKey: key)
    songs.append("d")
    songs[1] = "x"
    songs.remove(at: RangeSet([0..<1, 2..<3]))
    #expect(playlist.list == ["x", "d"])
    while try recorder.undo() {}
    #expect(playlist.list == ["a", "b", "c"])
    while try recorder.redo() {}
    #expect(playlist.list == ["x", "d"])
    while try recorder.undo() {}
    #expect(playlist.list == ["a", "b", "c"] && !recorder.canUndo)
  }

  @Test("Undoing an announced replacement gives an ordered set no element that it still has")
  func distinct() throws {
    let ranking = Ranking()
    try recorder.record(ranking, "names")
    ranking.reverse()
    #expect(try recorder.undo())
    #expect(ranking.stored == ["a", "b", "c"])
    #expect(try recorder.redo())
    #expect(ranking.stored == ["c", "b", "a"])
    #expect(ranking.repeated == [])
  }

  @Test("Unordered keys are undone and redone", arguments: ["single", "batch", "full"])
  func unordered(key: String) throws {
    let club = Club()
    club.stored = ["a", "b"]
    try recorder.record(club, key)
    let members = try club.mutableSetValue(forKey: key)
    members.formUnion(["b", "c"])
    members.remove("a")
    members.replaceAll(with: ["c", "d"])
    #expect(club.stored == ["c", "d"])
    while try recorder.undo() {}
    #expect(club.stored == ["a", "b"])
    while try recorder.redo() {}
    #expect(club.stored == ["c", "d"])
  }

  @Test("A key with only read methods is refused")
  func readOnly() throws {
    #expect(
      message { try recorder.record(Playlist(), "sealed") }
        == "Playlist.sealed can be read but not set.")
  }
}

/// A class whose accessors replace one element at a time, and each element occurs once.
@KeyValueObservable
private final class Ranking {
  @KeyValueIgnored private(set) var stored = ["a", "b", "c"]
  @KeyValueIgnored private(set) var repeated: [String] = []

  func countOfNames() -> Int { stored.count }
  func objectInNames(at index: Int) -> String { stored[index] }
  func insertObject(_ name: String, inNamesAt index: Int) { enter(name, at: index) }
  func removeObject(fromNamesAt index: Int) { stored.remove(at: index) }
  func replaceObject(inNamesAt index: Int, with name: String) {
    stored.remove(at: index)
    enter(name, at: index)
  }

  private func enter(_ name: String, at index: Int) {
    if stored.contains(name) { repeated.append(name) }
    stored.insert(name, at: index)
  }

  func reverse() {
    let all = RangeSet(stored.indices)
    willChange(.replacement, valuesAt: all, forKey: "names")
    stored.reverse()
    didChange(.replacement, valuesAt: all, forKey: "names")
  }
}
