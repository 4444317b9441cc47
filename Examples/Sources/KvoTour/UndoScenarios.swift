import KeyValueObserving

@KeyValueObservable
private final class Document {
  var title = "Untitled"
  var lines: [String] = []
}

extension Scenario {
  static let undo = Scenario(
    "undo", on: .undoing, "a recorder undoes and redoes; observers are notified of each change"
  ) { printer in
    let document = Document()
    printer.step("observe title and lines with old and new, and record both")
    let titles = document.kvo.title.observe(options: [.old, .new]) { _, change in
      printer.heard("title \(change)")
    }
    let lines = document.kvo.lines.observe(options: [.old, .new]) { _, change in
      printer.heard("lines \(change)")
    }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(document.kvo.title, document.kvo.lines)
    printer.step("title = \"Letter\"")
    document.title = "Letter"
    printer.step("lines.append(\"Dear Ada,\")")
    document.mutableArrayValue(for: \.lines).append("Dear Ada,")
    printer.step("undo(): the insertion becomes a removal")
    try recorder.undo()
    printer.step("undo()")
    try recorder.undo()
    printer.step("redo()")
    try recorder.redo()
    printer.step("a new change: title = \"Note\"; the other level to redo is gone")
    document.title = "Note"
    printer.heard("can redo: \(recorder.canRedo)")
    printer.step("group: title = \"List\", lines.append(\"Milk\")")
    recorder.group {
      document.title = "List"
      document.mutableArrayValue(for: \.lines).append("Milk")
    }
    printer.step("undo(): both, as one transaction")
    try recorder.undo()
    withExtendedLifetime((titles, lines)) {}
  }
}
