import Foundation
import FoundationKVO
import Testing

@KeyValueObservable
private final class Playlist: FoundationKVO.NSObject {
  dynamic var songs = NSOrderedSet(array: ["a", "b"])
}

@Suite("FoundationKVO: in a file that imports Foundation, too")
struct BesideFoundationTests {
  @Test("ordered sets are read, and so are the proxies of keys")
  func orderedSets() {
    let playlist = Playlist()
    let proxy = playlist.mutableOrderedSetValue(forKey: "songs")
    proxy.add("c")
    proxy.add("c")
    #expect(playlist.songs.array as? [String] == ["a", "b", "c"])
    #expect(playlist.songs.set.count == 3)
    #expect(proxy.array as? [String] == ["a", "b", "c"])
    #expect(proxy.set == ["a", "b", "c"])
    #expect(proxy.firstObject as? String == "a")
    #expect(proxy.lastObject as? String == "c")
    #expect(proxy.reversed.array as? [String] == ["c", "b", "a"])
    #expect(proxy.objectEnumerator().allObjects as? [String] == ["a", "b", "c"])
  }
}
