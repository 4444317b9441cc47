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
