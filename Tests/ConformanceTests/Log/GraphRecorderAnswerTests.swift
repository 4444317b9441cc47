import KeyValueObserving
import Testing

@Suite("U. KeyValueChangeRecorder: what observers answer undoing a recorded graph with")
struct GraphRecorderAnswerTests {
  private let page = AnsweredPage()
  private let recorder = KeyValueChangeRecorder()

  @Test("X3 an entry of a dictionary doesn't contradict the levels below")
  func entry() throws {
    try recorder.record(graph: page)
    var version = 0
    let token = page.kvo.title.observe { page, _ in
      version += 1
      page.info["version"] = "\(version)"
    }
    page.title = "a"
    page.title = "b"
    for _ in 1...2 {
      #expect(try recorder.undo() && page.title == "a" && page.info == ["version": "\(version)"])
      #expect(try recorder.undo() && page.title == "" && !recorder.canUndo)
      #expect(try recorder.redo() && page.title == "a" && page.info == ["version": "\(version)"])
      #expect(try recorder.redo() && page.title == "b" && !recorder.canRedo)
    }
    withExtendedLifetime(token) {}
  }

  @Test("X3 another entry stays, and doesn't contradict a level that assigned the dictionary")
  func otherEntry() throws {
    try recorder.record(graph: page)
    page.info = ["a": "1", "b": "2"]
    page.info["c"] = "3"
    page.title = "x"
    let token = page.kvo.title.observe { page, _ in page.info["undone"] = "yes" }
    #expect(try recorder.undo() && page.title == "" && page.info.count == 4)
    #expect(try recorder.undo() && page.info == ["a": "1", "b": "2", "undone": "yes"])
    #expect(try recorder.undo() && page.info == [:] && !recorder.canUndo)
    withExtendedLifetime(token) {}
  }

  @Test("X3 of a set's members, undoing the levels below takes out and puts back the others")
  func members() throws {
    page.tags = ["d", "e"]
    try recorder.record(graph: page)
    page.mutableSetValue(for: \.tags).formUnion(["a", "b"])
    page.mutableSetValue(for: \.tags).subtract(["d", "e"])
    page.title = "x"
    let token = page.kvo.title.observe { page, _ in page.tags = ["b", "c", "d"] }
    #expect(try recorder.undo() && page.title == "" && page.tags == ["b", "c", "d"])
    #expect(try recorder.undo() && page.tags == ["b", "c", "d", "e"])
    #expect(try recorder.undo() && page.tags == ["c", "d", "e"] && !recorder.canUndo)
    for _ in 1...3 { #expect(try recorder.redo()) }
    #expect(page.title == "x" && page.tags == ["b", "c", "d"])
    withExtendedLifetime(token) {}
  }

  @Test("X3 a level of which nothing is left is no level")
  func nothingLeft() throws {
    try recorder.record(graph: page)
    page.mutableSetValue(for: \.tags).insert("a")
    page.title = "x"
    let token = page.kvo.title.observe { page, _ in page.tags = [] }
    #expect(try recorder.undo() && page.title == "" && page.tags == [])
    #expect(try !recorder.canUndo && !recorder.undo())
    #expect(try recorder.redo() && page.title == "x" && page.tags == [])
    withExtendedLifetime(token) {}
  }

  @Test("X3 a level whose elements have made way sets the list to what it was")
  func elements() throws {
    try recorder.record(graph: page)
    page.mutableArrayValue(for: \.lines).append("a")
    page.lines = ["b"]
    page.title = "x"
    let token = page.kvo.title.observe { page, _ in page.lines = ["c"] }
    #expect(try recorder.undo() && page.title == "" && page.lines == ["c"])
    #expect(try recorder.undo() && page.lines == ["a"])
    #expect(try recorder.undo() && page.lines == [] && !recorder.canUndo)
    for lines in [["a"], ["c"], ["c"]] { #expect(try recorder.redo() && page.lines == lines) }
    #expect(page.title == "x")
    withExtendedLifetime(token) {}
  }

  @Test("X3 an object that has left by an answer comes back with what had changed the list before")
  func objects() throws {
    let (first, second) = (AnsweredPart(), AnsweredPart())
    page.parts = [first, second]
    try recorder.record(graph: page)
    page.parts.swapAt(0, 1)
    page.title = "x"
    let token = page.kvo.title.observe { page, _ in
      if page.title.isEmpty { page.parts = [first] }
    }
    #expect(try recorder.undo() && page.parts.count == 1)
    #expect(try recorder.undo() && page.parts.elementsEqual([first, second], by: ===))
    #expect(try recorder.redo() && page.parts.count == 1)
    #expect(try recorder.redo() && page.parts.elementsEqual([second, first], by: ===))
    #expect(page.title == "x")
    withExtendedLifetime(token) {}
  }

  @Test("X3 a key of another recorded graph doesn't contradict that graph's levels")
  func otherGraph() throws {
    let other = AnsweredPage()
    try recorder.record(graph: page)
    try recorder.record(graph: other)
    other.title = "o"
    page.title = "x"
    let token = page.kvo.title.observe { _, _ in other.title = "late" }
    #expect(try recorder.undo() && page.title == "" && other.title == "late")
    #expect(try recorder.undo() && other.title == "" && !recorder.canUndo)
    withExtendedLifetime(token) {}
  }
}

@KeyValueObservable
private final class AnsweredPage {
  var title = ""
  var info: [String: String] = [:]
  var tags: Set<String> = []
  var lines: [String] = []
  var parts: [AnsweredPart] = []
}

@KeyValueObservable
private final class AnsweredPart {
  var name = ""
}
