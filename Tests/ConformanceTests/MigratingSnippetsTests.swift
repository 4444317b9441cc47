import KeyValueObserving
import KeyValueTestSupport
import Testing

// What the page Migrating.md shows as "after", compiled and run; `print` writes into the test's log.

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

@Suite("Migrating: the snippets of the page")
struct MigratingSnippetsTests {
  private let log = ChangeLog()
  private let song = Song()
  private let view = SongView()

  private func print(_ words: Any...) {
    log.note(words.map { "\($0)" }.joined(separator: " "))
  }

  @Test("A token object with a block")
  func token() {
    var observation: KeyValueObservation?
    observation = song.observe(\.title, options: [.old, .new]) { song, change in
      print(change.oldValue ?? "", "->", change.newValue ?? "")
    }
    song.title = "Green"
    #expect(observation?.object === song && observation?.keyPath == "title")
    observation?.invalidate()
    song.title = "Red"
    #expect(log.take() == ["Blue -> Green"])
    var observations: Set<KeyValueObservation> = []
    song.observe(\.title) { song, _ in print(song.title) }.store(in: &observations)
    song.title = "Blue"
    observations = []
    song.title = "Green"
    #expect(log.take() == ["Blue"])
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
    binding = song.bind(\.title, to: view, \.text)
    #expect(view.text == "Blue")
    song.title = "Green"
    #expect(view.text == "Green")
    binding2 = song.bind(\.plays, to: view, \.text) { "\($0) plays" }
    song.plays = 3
    #expect(view.text == "3 plays")
    binding2?.invalidate()

    let field = Slider()
    let number: (String) throws -> Int = parse
    binding = song.bindTwoWay(
      \.plays, to: field, \.text,
      transformer: KeyValueTransformer(forward: { String($0) }, backward: { try number($0) }),
      onError: { error in print("not taken:", error) })
    field.text = "12"
    field.text = "x"
    #expect(song.plays == 12 && log.take() == ["not taken: not a number."])
    withExtendedLifetime(binding) {}
  }

  @Test("Many paths at once, as at a notification centre")
  func manyPaths() throws {
    let observer = KeyValueObserverController(owner: view)
    try observer.observe(song, "title", "artist", options: .new) { library, song, keyPath, change in
      print(keyPath, change)
    }
    song.title = "Green"
    song.artist = "Nina"
    observer.unobserve(song)
    song.title = "Red"
    #expect(log.take() == ["title setting, new: \"Green\"", "artist setting, new: \"Nina\""])
  }

  @Test("A controller for an owner")
  func controller() {
    let board = SongBoard(song)
    song.title = "Green"
    board.forget(song)
    song.title = "Red"
    #expect(board.shown == ["Blue", "Green"] && isIdle(song))
  }

  @Test("A callback that says whether to go on")
  func until() {
    var observation: KeyValueObservation?
    observation = song.observe(
      \.plays,
      until: { song, change in
        song.plays >= 10
      })
    song.plays = 9
    #expect(observation?.isValid == true)
    song.plays = 10
    #expect(observation?.isValid == false)
  }
}
