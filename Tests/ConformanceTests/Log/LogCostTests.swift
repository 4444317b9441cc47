import KeyValueObserving
import Testing

/// Counts how often a log looks for what an object leads to.
private final class LookCounter {
  var count = 0
}

/// A dictionary without entries that counts how often a log reads it.
private struct WatchedDrawer: Keyed {
  let looks: LookCounter

  var anyPairs: [(key: Any, value: Any?)] {
    looks.count += 1
    return []
  }

  static var anyKeyType: Any.Type { String.self }
  static var anyValueType: Any.Type { Folder.self }
}

@KeyValueObservable
private final class Folder: Hashable {
  var list: [Folder] = []
  var members: Set<Folder> = []
  var byName: [String: Folder] = [:]
  var drawer: WatchedDrawer

  init(_ looks: LookCounter) { drawer = WatchedDrawer(looks: looks) }

  static func == (left: Folder, right: Folder) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Suite("G2. What a log looks at when a collection of objects changes")
struct LogCostTests {
  private let looks = LookCounter()

  /// Sets a collection of a folder to others.
  enum Holder: CaseIterable {
    case list, members, byName

    fileprivate func set(_ folders: [Folder], of root: Folder) {
      switch self {
      case .list: root.list = folders
      case .members: root.members = Set(folders)
      case .byName:
        root.byName = Dictionary(
          uniqueKeysWithValues: folders.enumerated().map { ("\($0.offset)", $0.element) })
      }
    }
  }

  private func folder() -> Folder { Folder(looks) }

  @Test(
    "G2 what enters and what leaves is looked at once, and what stays isn't, nor what it leads to",
    arguments: Holder.allCases)
  func staying(_ holder: Holder) throws {
    let (root, large, small, new) = (folder(), folder(), folder(), folder())
    large.list = (0..<50).map { _ in folder() }
    holder.set([large, small], of: root)
    let log = try KeyValueChangeLog(reading: root)
    func cost(_ folders: [Folder]) -> Int {
      looks.count = 0
      holder.set(folders, of: root)
      return looks.count
    }
    #expect(cost([new, small, large]) == 1)
    #expect(log.id(of: new) != nil)
    #expect(cost([small, large]) == 1)
    #expect(log.id(of: new) == nil)
    #expect(cost([large, small]) == 0)
    #expect(log.id(of: large) != nil && log.id(of: large.list[0]) != nil)
  }

  @Test("G2 an object that a collection has several times leaves with the last")
  func severalTimes() throws {
    let (root, twice, other) = (folder(), folder(), folder())
    let log = try KeyValueChangeLog(reading: root)
    root.list = [twice, twice, other]
    root.list = [other, other, twice]
    #expect(log.id(of: twice) != nil && log.id(of: other) != nil)
    root.byName = ["a": twice, "b": other]
    root.byName = ["b": twice, "c": twice]
    root.list = []
    #expect(log.id(of: twice) != nil && log.id(of: other) == nil)
    root.byName = ["c": other, "d": twice]
    #expect(log.id(of: twice) != nil && log.id(of: other) != nil)
    root.byName = ["d": other]
    #expect(log.id(of: twice) == nil && log.id(of: other) != nil)
  }
}
