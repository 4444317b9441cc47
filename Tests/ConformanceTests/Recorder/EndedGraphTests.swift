import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Paper {
  var title = ""
  var lines: [PaperLine] = []

  required init() {}
}

@KeyValueObservable
private final class PaperLine {
  var paper: Paper?

  required init() {}
}

@Suite("X3 What a recorder keeps of a graph that it no longer records")
struct EndedGraphTests {
  private let recorder = KeyValueChangeRecorder()

  /// A paper with one line, which leads back to it.
  private func paper() -> Paper {
    let (paper, line) = (Paper(), PaperLine())
    line.paper = paper
    paper.lines = [line]
    return paper
  }

  @Test("X3 neither its levels nor the objects that left it")
  func released() throws {
    weak var document: Paper?
    do {
      let paper = paper()
      document = paper
      try recorder.record(graph: paper)
      paper.lines.removeLast()
      paper.title = "A"
      try recorder.undo()
      recorder.stopRecording(graph: paper)
    }
    #expect(document == nil)
    let description = "KeyValueChangeRecorder(0 key paths, 0 levels to undo, 0 to redo)"
    #expect(recorder.description == description)
  }

  @Test("X3 other graphs' changes stay, also those in a level that had changes of both")
  func othersStay() throws {
    let (paper, other) = (Paper(), Paper())
    try recorder.record(graph: paper)
    try recorder.record(graph: other)
    paper.title = "A"
    for title in ["B", "C", "D"] {
      recorder.group {
        paper.title = title
        other.title = title
      }
    }
    try recorder.undo()
    recorder.stopRecording(graph: paper)
    let description =
      "KeyValueChangeRecorder(1 graph, 0 key paths, 2 levels to undo, 1 to redo)"
    #expect(recorder.description == description)
    var titles: [String] = []
    try recorder.redo()
    titles.append(other.title)
    while try recorder.undo() { titles.append(other.title) }
    #expect(titles == ["D", "C", "B", ""] && paper.title == "C")
  }

  @Test("X3 its levels don't count among those that are kept")
  func limit() throws {
    recorder.levelsOfUndo = 2
    let (paper, other) = (Paper(), Paper())
    try recorder.record(graph: paper)
    try recorder.record(graph: other)
    other.title = "A"
    paper.title = "A"
    recorder.stopRecording(graph: paper)
    other.title = "B"
    var titles: [String] = []
    while try recorder.undo() { titles.append(other.title) }
    #expect(titles == ["A", ""])
  }

  @Test("X3 recording may end in an observer that has changed the graph")
  func endsInObserver() throws {
    let leading = Paper()
    try recorder.record(leading, "title")
    weak var document: Paper?
    do {
      let paper = paper()
      document = paper
      try recorder.record(graph: paper)
      let token = leading.observe(\.title) { [recorder] _, _ in
        paper.lines.removeLast()
        recorder.stopRecording(graph: paper)
      }
      leading.title = "A"
      token.invalidate()
    }
    #expect(document == nil)
    let hasUndone = try recorder.undo()
    #expect(hasUndone && leading.title == "" && recorder.canRedo)
  }

  @Test("X3 recording may end while a level is undone; what follows can be redone")
  func endsInUndo() throws {
    let (first, second) = (Paper(), Paper())
    try recorder.record(graph: first)
    try recorder.record(graph: second)
    let log = try KeyValueChangeLog(of: second)
    recorder.group {
      first.title = "A"
      second.title = "A"
    }
    let token = log.observe { [recorder] _ in recorder.stopRecording(graph: second) }
    try recorder.undo()
    #expect(first.title == "" && second.title == "")
    let hasRedone = try recorder.redo()
    #expect(hasRedone && first.title == "A" && second.title == "")
    withExtendedLifetime(token) {}
  }
}
