import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class UntypedNote {
  var userInfo: [String: Any] = [:]
  var represented: Any?
  var items: [Any] = []
}

private protocol NoteDelegate: AnyObject {}

private final class NoteController: NoteDelegate {}

@KeyValueObservable
private final class DelegatingNote {
  var title = ""
  weak var delegate: (any NoteDelegate)?
}

@Suite("G. Values that can't be written, behind types that don't say so")
struct UntypedValuesTests {
  private func error(_ body: () throws -> Void) -> String? {
    #expect(throws: KeyValueLogError.self, performing: body).map { "\($0)" }
  }

  @Test("G4 such a value is an error at attachment, and nothing is attached")
  func attached() throws {
    let changes: [(key: String, held: String, change: (UntypedNote) -> Void)] = [
      ("userInfo", "String", { $0.userInfo = ["color": "red"] }),
      ("represented", "Int", { $0.represented = 1 }),
      ("items", "String", { $0.items = [UntypedNote(), "red"] }),
    ]
    for (key, held, change) in changes {
      let (outer, note) = (UntypedNote(), UntypedNote())
      change(note)
      outer.represented = note
      let expected =
        "UntypedNote.\(key) can't be logged: it holds \(held), which isn't an observable object. Give the property "
        + "a Codable type, or mark it @KeyValueIgnored."
      for root in [note, outer] {
        #expect(error { _ = try KeyValueChangeLog(of: root) } == expected)
        #expect(error { try KeyValueChangeRecorder().record(graph: root) } == expected)
      }
      #expect(note._$kvoWithRegistrar { $0.isIdle } && outer._$kvoWithRegistrar { $0.isIdle })
    }
  }

  @Test("G4 one that is nil, empty or observable isn't") func written() throws {
    let note = UntypedNote()
    note.userInfo = ["note": UntypedNote()]
    note.represented = UntypedNote()
    note.items = [UntypedNote()]
    let log = try KeyValueChangeLog(of: note)
    #expect(try log.snapshot().objects.count == 4)
  }

  @Test(
    "G4 a weak reference to what isn't observable is nil in a log, and a graph with it is recorded")
  func delegate() throws {
    let (note, controller) = (DelegatingNote(), NoteController())
    note.delegate = controller
    let snapshot = try KeyValueChangeLog(of: note).snapshot()
    #expect(snapshot.objects[snapshot.root]?.values["delegate"] == .null)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: note)
    note.title = "x"
    #expect(try recorder.undo() && note.title == "" && note.delegate === controller)
  }
}
