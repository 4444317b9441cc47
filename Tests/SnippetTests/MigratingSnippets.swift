import KeyValueObserving
import Observation
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

  @KeyValueObservable
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
      observation = song.kvo.title.observe(target: self, action: SongController.titleChanged)
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
      observer.observe(song.kvo.title, options: [.initial, .new]) { board, song, change in
        board.shown.append(change.newValue ?? "")
      }
    }

    func forget(_ song: Song) {
      observer?.unobserve(song.kvo.title)
      observer?.unobserveAll()
    }
  }
  // end

  @KeyValueObservable
  final class Field {
    var text = ""
  }

  @KeyValueObservable
  final class Order {
    var price = 10
    var count = 1
    var total: Int { price * count }
  }

  /// The same for Observation.
  enum Tracked {
    @Observable
    final class Order {
      var price = 10
      var count = 1
      var total: Int { price * count }
    }
  }

  struct NotANumber: Error {}

  private let song = Song()
  private let view = SongView()

  @Test("A token object with a block")
  func token() throws {
    var observation: KeyValueObservation?
    // snippet Migrating 3
    observation = song.kvo.title.observe(options: [.old, .new]) { song, change in
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
    song.kvo.title.observe { song, _ in print(song.title) }.store(in: &observations)
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
    binding = song.kvo.title.bind(to: view.kvo.text)
    binding2 = song.kvo.plays.bind(to: view.kvo.text) { "\($0) plays" }
    // end
    #expect(view.text == "0 plays")
    song.title = "Green"
    #expect(view.text == "Green")
    song.plays = 3
    #expect(view.text == "3 plays")
    binding2?.invalidate()

    let field = Field()
    @Sendable func number(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw NotANumber() }
      return number
    }
    // snippet Migrating 8
    binding = song.kvo.plays.bindTwoWay(
      to: field.kvo.text,
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
    for key in ["title", "artist"] {
      observer.observe(try song.kvo(key), options: .new) { library, song, change in
        print(key, change)  // title setting, new: "Green"
      }
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
    observation = song.kvo.plays.observe(until: { song, change in
      song.plays >= 10  // true ends it
    })
    // end
    song.plays = 9
    #expect(observation?.isValid == true)
    song.plays = 10
    #expect(observation?.isValid == false)
    try expectPrinted("Migrating", 14, remarks: ["true ends it"])
  }

  // Observation on Linux has no availability; elsewhere this needs the systems of that year.
  #if compiler(>=6.4) && os(Linux)
    @Test("Observation's tracking, with the options of Swift 6.4")
    func tracking() throws {
      typealias Order = Tracked.Order
      // snippet Migrating 15
      nonisolated(unsafe) let order = Order()
      @Sendable func log() {
        withObservationTracking(options: [.didSet]) {
          _ = order.total
        } onChange: { event in
          print(event.matches(\Order.count) ? "count," : "price,", "total:", order.total)
          log()
        }
      }
      log()
      order.count = 2  // count, total: 20
      order.price = 12  // price, total: 24
      // end
      try expectPrinted("Migrating", 15)
    }
  #endif

  @Test("In place of Observation's tracking: each total, with the one before it")
  func insteadOfTracking() throws {
    let order = Order()
    var observation: KeyValueObservation?
    // snippet Migrating 16
    observation = order.kvo.total.observe(options: [.old, .new]) { order, change in
      print("total:", change.oldValue ?? 0, "->", change.newValue ?? 0)
    }
    order.count = 2  // total: 10 -> 20
    order.price = 12  // total: 20 -> 24
    // end
    try expectPrinted("Migrating", 16)
    withExtendedLifetime(observation) {}
  }
}
