import KeyValueObserving
import Testing

@Suite("Migrating.md", .printing)
struct MigratingSnippets {
  // snippet Migrating 1
  @KeyValueObservable
  final class Song {
    var title = "Blue"
    var artist = "Joni"
    var plays = 0
    var rating: Int?
  }

  final class SongView {
    var text = ""
    var isEnabled = true
  }
  // end

  // snippet Migrating 5
  final class SongController {
    let view = SongView()
    private var observation: KeyValueObservation?

    init(_ song: Song) {
      observation = song.observe(\.title, target: self, action: SongController.titleChanged)
    }

    func titleChanged(_ song: Song) {
      view.text = song.title
    }
  }
  // end

  // snippet Migrating 12
  final class SongBoard {
    private(set) var shown: [String] = []
    private var observer: KeyValueObserverController<SongBoard>?

    init(_ song: Song) {
      let observer = KeyValueObserverController(owner: self)
      self.observer = observer
      observer.observe(song, \.title, options: [.initial, .new]) { board, song, change in
        board.shown.append(change.newValue ?? "")
      }
    }

    func forget(_ song: Song) {
      observer?.unobserve(song, \.title)
      observer?.unobserveAll()
    }
  }
  // end

  @KeyValueObservable
  final class Field {
    var text = ""
  }

  struct NotANumber: Error {}

  private let song = Song()
  private let view = SongView()

  @Test("A token object with a block")
  func token() throws {
    var observation: KeyValueObservation?
    // snippet Migrating 3
    observation = song.observe(\.title, options: [.old, .new]) { song, change in
      print(change.oldValue ?? "", "->", change.newValue ?? "")  // Blue -> Green
    }
    // end
    song.title = "Green"
    #expect(observation?.object === song && observation?.keyPath == "title")
    // snippet Migrating 3
    observation?.invalidate()
    // end
    song.title = "Red"
    try expectPrinted("Migrating", 3)
    var observations: Set<KeyValueObservation> = []
    song.observe(\.title) { song, _ in print(song.title) }.store(in: &observations)
    song.title = "Blue"
    observations = []
    song.title = "Green"
    #expect(Printed.current?.take() == ["Blue"])
  }

  @Test("A token with a target and a selector")
  func targetAndAction() {
    let controller = SongController(song)
    song.title = "Green"
    #expect(controller.view.text == "Green")
  }

  @Test("Observers and binders")
  func binders() throws {
    var binding: KeyValueBinding?
    var binding2: KeyValueBinding?
    // snippet Migrating 7
    binding = song.bind(\.title, to: view, \.text)
    binding2 = song.bind(\.plays, to: view, \.text) { "\($0) plays" }
    // end
    #expect(view.text == "0 plays")
    song.title = "Green"
    #expect(view.text == "Green")
    song.plays = 3
    #expect(view.text == "3 plays")
    binding2?.invalidate()

    let field = Field()
    func number(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw NotANumber() }
      return number
    }
    // snippet Migrating 8
    binding = song.bindTwoWay(
      \.plays, to: field, \.text,
      transformer: KeyValueTransformer(forward: { String($0) }, backward: { try number($0) }),
      onError: { error in print("not taken:", error) })
    // end
    field.text = "12"
    field.text = "x"
    #expect(song.plays == 12 && Printed.current?.take() == ["not taken: NotANumber()"])
    withExtendedLifetime(binding) {}
  }

  @Test("Many paths at once, as at a notification centre")
  func manyPaths() throws {
    let observer = KeyValueObserverController(owner: view)
    // snippet Migrating 10
    try observer.observe(song, "title", "artist", options: .new) { library, song, keyPath, change in
      print(keyPath, change)  // title setting, new: "Green"
    }
    // end
    song.title = "Green"
    try expectPrinted("Migrating", 10)
    song.artist = "Nina"
    #expect(Printed.current?.take() == ["artist setting, new: \"Nina\""])
    // snippet Migrating 10
    observer.unobserve(song)
    // end
    song.title = "Red"
    #expect(Printed.current?.take() == [])
  }

  @Test("A controller for an owner")
  func controller() {
    let board = SongBoard(song)
    song.title = "Green"
    board.forget(song)
    song.title = "Red"
    #expect(board.shown == ["Blue", "Green"] && song.observationInfo.isEmpty)
  }

  @Test("A callback that says whether to go on")
  func until() throws {
    var observation: KeyValueObservation?
    // snippet Migrating 14
    observation = song.observe(
      \.plays,
      until: { song, change in
        song.plays >= 10  // true ends it
      })
    // end
    song.plays = 9
    #expect(observation?.isValid == true)
    song.plays = 10
    #expect(observation?.isValid == false)
    try expectPrinted("Migrating", 14, remarks: ["true ends it"])
  }
}
