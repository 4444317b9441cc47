import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K2a P. Overrides, and keys that only share a superclass's name")
struct ClassOverrideTests {
  private let log = ChangeLog()

  @Test("K2a A computed key is no override of one that its class doesn't see")
  func unseenKeys() throws {
    try ViolationLog.record { violations in
      let poster = FilmPoster()
      let note = try poster.value(forKey: "note") as? String
      #expect(note == "film")
      #expect(poster.kvo.note.value == "film")
      #expect(
        violations.take()
          == ["note", "progress"].map {
            "tolerated: FilmPoster and its superclass Poster each have a key '\($0)', because FilmPoster does "
              + "not see that of Poster. On objects of FilmPoster, what Poster observes, depends on or announces "
              + "as '\($0)' is the key of FilmPoster. Rename one of the two."
          })
      #expect(FilmPoster.keyValueKeys == ["title", "done", "note", "progress"])
      #expect(FilmPoster.keyPathsForValuesAffectingValue(forKey: "note") == ["title"])
      #expect(FilmPoster.automaticallyNotifiesObservers(forKey: "progress"))
      let tokens = [
        poster.observe(\.note, options: .new, changeHandler: log.handler("note")),
        poster.observe(\.progress, options: .new, changeHandler: log.handler("progress")),
      ]
      poster.title = "still"
      poster.done = 5
      #expect(log.take() == ["note: setting, new: \"still\"", "progress: setting, new: 0.5"])
      for token in tokens { token.invalidate() }
      #expect(isIdle(poster))
      #expect(violations.take() == [])
    }
  }

  @Test("K2a Strings reach an override that is more visible than what it overrides")
  func visibility() throws {
    let script = OpenManuscript()
    #expect(Manuscript.keyValueKeys == ["version"])
    #expect(OpenManuscript.keyValueKeys == ["words", "pages", "version"])
    try script.setValue(6, forKey: "words")
    try script.setValue(3, forKey: "pages")
    try script.setValue(5, forKey: "version")
    #expect(try script.value(forKey: "words") as? Int == 6)
    #expect([script.words, script.pages, script.version, script.heard] == [6, 3, 5, 2])
    #expect(
      message { _ = try script.value(forKey: "notes") }
        == "OpenManuscript has no key 'notes': the property is fileprivate.")
    #expect(
      message { _ = try Manuscript().value(forKey: "words") }
        == "Manuscript has no key 'words': the property is fileprivate.")
    #expect(
      message { try Manuscript().setValue(2, forKey: "version") }
        == "Manuscript.version can be read but not set: its setter is fileprivate.")
  }

  @Test("P1 A requirement that an override of a narrower type implements is observed")
  func narrowedRequirement() {
    func observe<Object: Readable & KeyValueObservable>(_ object: Object) -> KeyValueObservation {
      object.kvo.reading.observe(options: [.old, .new], changeHandler: log.handler("reading"))
    }
    let meter = FineMeter()
    let token = observe(meter)
    #expect(token.isValid && token.keyPath == "reading")
    meter.level = 2
    #expect(log.take() == ["reading: setting, old: 2, new: 3"])
    token.invalidate()
    #expect(isIdle(meter))
  }
}

@KeyValueObservable
private final class FilmPoster: Poster {
  var title = "film"
  var done = 0
  var note: String { title }
  var progress: Double { Double(done) / 10 }
}

@KeyValueObservable
private class Manuscript {
  fileprivate var words = 1
  fileprivate var pages = 1
  fileprivate(set) var version = 1
  fileprivate var notes = 1
  @KeyValueIgnored var heard = 0
}

@KeyValueObservable
private final class OpenManuscript: Manuscript {
  override var words: Int {
    get { super.words * 2 }
    set { super.words = newValue / 2 }
  }
  override var pages: Int { didSet { heard += 1 } }
  override var version: Int { didSet { heard += 1 } }
  override fileprivate var notes: Int { didSet {} }
}

private protocol Readable {
  var reading: Int { get }
}

@KeyValueObservable
private class RoughMeter {
  var level = 1
  var reading: Int? { nil }
}

@KeyValueObservable
private final class FineMeter: RoughMeter, Readable {
  override var reading: Int { level + 1 }
}
