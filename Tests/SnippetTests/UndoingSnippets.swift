import KeyValueObserving
import Testing

@Suite("Undoing.md", .printing)
struct UndoingSnippets {
  // snippet Undoing 1
  @KeyValueObservable
  final class Document {
    var title = "Untitled"
    var lines: [String] = []
  }
  // end

  @Test("Undoing")
  func page() throws {
    // snippet Undoing 1
    let document = Document()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(document.kvo.title, document.kvo.lines)

    document.title = "Letter"
    document.mutableArrayValue(for: \.lines).append("Dear Ada,")
    try recorder.undo()
    print(document.title, document.lines)  // Letter []
    try recorder.undo()
    print(document.title)  // Untitled
    try recorder.redo()
    print(document.title)  // Letter
    // end
    try expectPrinted("Undoing", 1)
    // snippet Undoing 2
    recorder.group {
      document.title = "Note"
      document.lines = ["Milk"]
    }
    try recorder.undo()
    print(document.title, document.lines)  // Letter []
    // end
    try expectPrinted("Undoing", 2)
  }
}
