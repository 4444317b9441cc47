import FoundationKVO
import Testing

@Suite("FoundationKVO: sort descriptors")
struct SortDescriptorTests {
  @KeyValueObservable
  class Song: NSObject {
    dynamic var title: String
    dynamic var length: Int

    init(_ title: String, _ length: Int = 0) {
      (self.title, self.length) = (title, length)
      super.init()
    }
  }

  /// A value with an order of its own.
  struct Version: Comparable {
    let major: Int
    let minor: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }
  }

  /// Has keys whose types aren't `Comparable`, and one that only `Comparable` orders.
  @KeyValueObservable
  class Track: NSObject {
    dynamic var name: String?
    dynamic var released: Date?
    dynamic var isLive = false
    dynamic var version = Version(major: 1, minor: 0)

    init(_ name: String?, _ released: Double?, isLive: Bool = false, minor: Int = 0) {
      super.init()
      self.name = name
      self.released = released.map { Date(timeIntervalSince1970: $0) }
      self.isLive = isLive
      version = Version(major: 1, minor: minor)
    }
  }

  @Test("two descriptors are equal that sort by the same key in the same way")
  func equality() {
    let byTitle = NSSortDescriptor(key: "title", ascending: true)
    #expect(byTitle == NSSortDescriptor(key: "title", ascending: true))
    #expect(byTitle == NSSortDescriptor(key: "title", ascending: true, selector: nil))
    #expect(byTitle == NSSortDescriptor(key: "title", ascending: true, selector: .compare))
    #expect(byTitle != NSSortDescriptor(key: "title", ascending: false))
    #expect(byTitle != NSSortDescriptor(key: "length", ascending: true))
    #expect(byTitle != NSSortDescriptor(key: nil, ascending: true))
    #expect(
      byTitle
        != NSSortDescriptor(key: "title", ascending: true, selector: .localizedStandardCompare))
    #expect(
      NSSortDescriptor(key: nil, ascending: false, selector: .caseInsensitiveCompare)
        == NSSortDescriptor(key: nil, ascending: false, selector: .caseInsensitiveCompare))
    #expect(byTitle.copy() as? NSSortDescriptor == byTitle)
    let same: Set = [byTitle, NSSortDescriptor(key: "title", ascending: true)]
    #expect(same.count == 1)
    let list: [NSSortDescriptor] = [NSSortDescriptor(key: "length", ascending: true), byTitle]
    #expect(
      list == [
        NSSortDescriptor(key: "length", ascending: true),
        NSSortDescriptor(key: "title", ascending: true),
      ])
    #expect((list as NSArray).index(of: NSSortDescriptor(key: "title", ascending: true)) == 1)
    #expect(!byTitle.isEqual("title"))
    #expect(byTitle != NSSortDescriptor(keyPath: \NSString.description, ascending: true))
  }

  @Test("a descriptor with a closure equals only itself")
  func closures() {
    func byLength() -> NSSortDescriptor {
      NSSortDescriptor(key: "title", ascending: true) {
        NSNumber(value: ($0 as! String).count).compare(NSNumber(value: ($1 as! String).count))
      }
    }
    let descriptor = byLength()
    #expect(descriptor == descriptor)
    #expect(descriptor != byLength())
    #expect(descriptor != NSSortDescriptor(key: "title", ascending: true))
  }

  @Test("descriptors by the same key path of an observable class are equal")
  func keyPaths() {
    let byTitle = NSSortDescriptor(keyPath: \Song.title, ascending: true)
    #expect(byTitle == NSSortDescriptor(keyPath: \Song.title, ascending: true))
    #expect(byTitle != NSSortDescriptor(keyPath: \Song.title, ascending: false))
    #expect(byTitle != NSSortDescriptor(keyPath: \Song.length, ascending: true))
    #expect(byTitle != NSSortDescriptor(key: "title", ascending: true))
    #expect(byTitle.keyPath == \Song.title)
    #expect(
      byTitle.reversedSortDescriptor as? NSSortDescriptor
        == NSSortDescriptor(keyPath: \Song.title, ascending: false))
    let songs = [Song("b"), Song("a")]
    #expect(titles(songs, byTitle) == "ab")
    #expect(titles(songs, NSSortDescriptor(keyPath: \Song.title, ascending: false)) == "ba")
  }

  @Test("a key path to a value that isn't Comparable sorts as its key does, with nil first")
  func otherKeyPaths() {
    let tracks = [Track("b", 2, isLive: true), Track(nil, nil), Track("a", 3)]
    func names(_ descriptor: NSSortDescriptor) -> [String?] {
      NSArray(array: tracks).sortedArray(using: [descriptor]).map { ($0 as! Track).name }
    }
    let byName = NSSortDescriptor(keyPath: \Track.name, ascending: true)
    #expect(names(byName) == [nil, "a", "b"])
    #expect(names(byName.reversedSortDescriptor as! NSSortDescriptor) == ["b", "a", nil])
    #expect(names(Backwards(keyPath: \Track.name, ascending: true)) == ["b", "a", nil])
    let byDate = NSSortDescriptor(keyPath: \Track.released, ascending: false)
    #expect(names(byDate) == ["a", "b", nil])
    let byBool = NSSortDescriptor(keyPath: \Track.isLive, ascending: true)
    #expect(byBool.compare(tracks[0], to: tracks[1]) == .orderedDescending)
    #expect(byBool.compare(tracks[1], to: tracks[2]) == .orderedSame)
    #expect(byName == NSSortDescriptor(keyPath: \Track.name, ascending: true))
    #expect(byName != NSSortDescriptor(keyPath: \Track.name, ascending: false))
    #expect(
      byName.reversedSortDescriptor as? NSSortDescriptor
        == NSSortDescriptor(keyPath: \Track.name, ascending: false))
    #expect(byName != NSSortDescriptor(keyPath: \Track.released, ascending: true))
    #expect(byName.keyPath == \Track.name)
  }

  @Test("values of a Comparable type are ordered by key as operators order them; others raise")
  func comparableValues() async {
    let tracks = [10, 9, 12].map { Track(nil, nil, minor: $0) }
    func minors(_ tracks: [Any]) -> [Int] { tracks.map { ($0 as! Track).version.minor } }
    let byVersion = NSSortDescriptor(key: "version", ascending: true)
    let array = NSArray(array: tracks)
    #expect(minors(array.sortedArray(using: [byVersion])) == [9, 10, 12])
    #expect(byVersion.compare(tracks[0], to: tracks[0]) == .orderedSame)
    let later = NSPredicate(format: "version > %@", Version(major: 1, minor: 9))
    #expect(minors(tracks.filter { later.evaluate(with: $0) }) == [10, 12])
    #expect(array.value(forKeyPath: "@max.version") as? Version == Version(major: 1, minor: 12))
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let isExpected = violation.description.hasPrefix(
          "NSInvalidArgumentException: Song and Song have no order, because they are not of one type that is "
            + "Comparable. Conform their type to Comparable")
        exit(isExpected ? 0 : 1)
      }
      _ = NSSortDescriptor(key: nil, ascending: true).compare(Song("a"), to: Song("b"))
      exit(2)
    }
  }

  @Test("the reversed descriptor sorts the other way round, and equals one that's made so")
  func reversed() {
    let descriptor = NSSortDescriptor(
      key: "title", ascending: true, selector: .localizedStandardCompare)
    let reversed = descriptor.reversedSortDescriptor as! NSSortDescriptor
    #expect(
      reversed
        == NSSortDescriptor(key: "title", ascending: false, selector: .localizedStandardCompare))
    #expect(reversed.reversedSortDescriptor as? NSSortDescriptor == descriptor)
    #expect(!reversed.ascending)
    let songs = [Song("a10"), Song("a9"), Song("B")]
    #expect(titles(songs, descriptor) == "a9a10B")
    #expect(titles(songs, reversed) == "Ba10a9")
    let byCount = NSSortDescriptor(key: "title", ascending: true) {
      NSNumber(value: ($0 as! String).count).compare(NSNumber(value: ($1 as! String).count))
    }
    #expect(titles(songs, byCount) == "Ba9a10")
    #expect(titles(songs, byCount.reversedSortDescriptor as! NSSortDescriptor) == "a10a9B")
  }

  @Test("a descriptor compares two objects, and reads keys and key paths of them")
  func comparing() {
    let byLength = NSSortDescriptor(key: "title.length", ascending: true)
    #expect(byLength.compare(Song("aa"), to: Song("b")) == .orderedDescending)
    let reversed = byLength.reversedSortDescriptor as! NSSortDescriptor
    #expect(reversed.compare(Song("aa"), to: Song("b")) == .orderedAscending)
    #expect(NSSortDescriptor(key: nil, ascending: true).compare(3, to: 3) == .orderedSame)
  }

  /// A descriptor of a program's own.
  final class Backwards: NSSortDescriptor {
    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
      super.compare(object2, to: object1)
    }
  }

  @Test("a subclass has the initialisers, too")
  func subclasses() {
    let descriptor = Backwards(key: "title", ascending: true)
    #expect(type(of: descriptor) == Backwards.self)
    #expect(titles([Song("a"), Song("b")], descriptor) == "ba")
    let byLength = Backwards(key: "title.length", ascending: true, selector: .compare)
    #expect(titles([Song("a"), Song("bb")], byLength) == "bba")
  }

  private func titles(_ songs: [Song], _ descriptor: NSSortDescriptor) -> String {
    NSArray(array: songs).sortedArray(using: [descriptor]).map { ($0 as! Song).title }.joined()
  }
}
