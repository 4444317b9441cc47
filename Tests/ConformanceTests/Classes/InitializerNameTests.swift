import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Initialisers whose locals and key paths have the names of members of the class.
@Suite("Names of members in initialisers")
struct InitializerNameTests {
  @Test("N1 a local or another value's member of a member's name doesn't use the object")
  func names() {
    let list = Mixtape([Song(title: "ab"), Song(title: "cde")])
    #expect(list.letters == 7)
    #expect(list.saves == 0)
    let log = ChangeLog()
    let token = list.observe(
      \.title, options: [.old, .new], changeHandler: log.handler("title"))
    list.songs = [Song(title: "f")]
    #expect(list.saves == 1)
    #expect(log.take() == [#"title: setting, old: "ab, cde", new: "f""#])
    token.invalidate()
  }
}

private struct Song {
  let title: String
}

@KeyValueObservable
private final class Mixtape {
  var songs: [Song] { didSet { save() } }
  let letters: Int
  @KeyValueIgnored var saves = 0
  var title: String { songs.map(\.title).joined(separator: ", ") }

  init(_ songs: [Song]) {
    func save(_ text: String) -> Int { text.count }
    let titles = songs.map(\.title)
    var letters = titles.map { title in title.count }.reduce(0, +)
    if let title = titles.first { letters += save(title) }
    self.songs = songs
    self.letters = letters
  }

  func save() { saves += 1 }
}
