import KeyValueObserving
import KeyValueTestSupport

/// Ordered keys that only accessor methods implement, in every documented combination; all keys share
/// one list.
@KeyValueObservable
final class Playlist {
  @KeyValueIgnored var list: [String] = []
  @KeyValueIgnored var calls: [String] = []
  @KeyValueIgnored var reads = 0

  func takeCalls() -> [String] {
    defer { calls = [] }
    return calls
  }

  private func note(_ call: String) { calls.append(call) }

  private func element(_ index: Int) -> String {
    reads += 1
    return list[index]
  }

  private func insert(_ elements: [String], _ indexes: RangeSet<Int>) {
    note("insert \(elements) at \(described(indexes))")
    for (element, index) in zip(elements, indexes.ranges.flatMap { $0 }) {
      list.insert(element, at: index)
    }
  }

  private func remove(_ indexes: RangeSet<Int>) {
    note("remove \(described(indexes))")
    list.removeSubranges(indexes)
  }

  private func replace(_ indexes: RangeSet<Int>, _ elements: [String]) {
    note("replace \(described(indexes)) by \(elements)")
    for (element, index) in zip(elements, indexes.ranges.flatMap { $0 }) { list[index] = element }
  }

  private func described(_ indexes: RangeSet<Int>) -> String {
    "\(indexes.ranges.flatMap { $0 })"
  }

  // One at a time, without replacing.
  func countOfSingle() -> Int { list.count }
  func objectInSingle(at index: Int) -> String { element(index) }
  func insertObject(_ song: String, inSingleAt index: Int) {
    note("insert \(song) at \(index)")
    list.insert(song, at: index)
  }
  func removeObject(fromSingleAt index: Int) {
    note("remove \(index)")
    list.remove(at: index)
  }

  // One at a time, with replacing.
  func countOfReplacing() -> Int { list.count }
  func objectInReplacing(at index: Int) -> String { element(index) }
  func insertObject(_ song: String, inReplacingAt index: Int) {
    insertObject(song, inSingleAt: index)
  }
  func removeObject(fromReplacingAt index: Int) { removeObject(fromSingleAt: index) }
  func replaceObject(inReplacingAt index: Int, with song: String) {
    note("replace \(index) by \(song)")
    list[index] = song
  }

  // Several at a time, without replacing.
  func countOfBatch() -> Int { list.count }
  func objectInBatch(at index: Int) -> String { element(index) }
  func insertBatch(_ songs: [String], at indexes: RangeSet<Int>) { insert(songs, indexes) }
  func removeBatch(at indexes: RangeSet<Int>) { remove(indexes) }

  // Several at a time, with replacing.
  func countOfExchange() -> Int { list.count }
  func objectInExchange(at index: Int) -> String { element(index) }
  func insertExchange(_ songs: [String], at indexes: RangeSet<Int>) { insert(songs, indexes) }
  func removeExchange(at indexes: RangeSet<Int>) { remove(indexes) }
  func replaceExchange(at indexes: RangeSet<Int>, with songs: [String]) { replace(indexes, songs) }

  // Everything.
  func countOfFull() -> Int { list.count }
  func objectInFull(at index: Int) -> String { element(index) }
  func insertObject(_ song: String, inFullAt index: Int) { insertObject(song, inSingleAt: index) }
  func removeObject(fromFullAt index: Int) { removeObject(fromSingleAt: index) }
  func replaceObject(inFullAt index: Int, with song: String) {
    replaceObject(inReplacingAt: index, with: song)
  }
  func insertFull(_ songs: [String], at indexes: RangeSet<Int>) { insert(songs, indexes) }
  func removeFull(at indexes: RangeSet<Int>) { remove(indexes) }
  func replaceFull(at indexes: RangeSet<Int>, with songs: [String]) { replace(indexes, songs) }

  // Read only.
  func countOfSealed() -> Int { list.count }
  func objectInSealed(at index: Int) -> String { element(index) }
}

/// Ordered keys with a property and methods, whose methods also cause other notifications.
@KeyValueObservable
final class Album {
  /// The methods change the property.
  var tracks: [String] = []
  /// Has a method for inserting but none for removing, so the property is used.
  var half: [String] = []
  @KeyValueIgnored var calls: [String] = []
  /// Changed by the methods as well.
  var edits = 0

  func takeCalls() -> [String] {
    defer { calls = [] }
    return calls
  }

  func insertObject(_ track: String, inTracksAt index: Int) {
    calls.append("insert")
    tracks.insert(track, at: index)
    edits += 1
  }

  func removeObject(fromTracksAt index: Int) {
    calls.append("remove")
    tracks.remove(at: index)
    edits += 1
  }

  func insertObject(_ track: String, inHalfAt index: Int) {
    calls.append("insert half")
    half.insert(track, at: index)
  }

  // A key whose methods notify by themselves, one of them through another.
  @KeyValueIgnored var sideList: [String] = []

  func countOfSides() -> Int { sideList.count }
  func objectInSides(at index: Int) -> String { sideList[index] }

  func insertObject(_ side: String, inSidesAt index: Int) {
    insertSides([side], at: RangeSet(index..<index + 1))
  }

  func insertSides(_ sides: [String], at indexes: RangeSet<Int>) {
    willChange(.insertion, valuesAt: indexes, forKey: "sides")
    for (side, index) in zip(sides, indexes.ranges.flatMap { $0 }) {
      sideList.insert(side, at: index)
    }
    didChange(.insertion, valuesAt: indexes, forKey: "sides")
  }

  func removeObject(fromSidesAt index: Int) {
    willChange(.removal, valuesAt: RangeSet(index..<index + 1), forKey: "sides")
    sideList.remove(at: index)
    didChange(.removal, valuesAt: RangeSet(index..<index + 1), forKey: "sides")
  }
}

/// A key whose methods change another one through its proxy.
@KeyValueObservable
final class Roll {
  var stored: [String] = []
  var names: [String] { stored }

  func insertObject(_ name: String, inNamesAt index: Int) {
    mutableArrayValue(for: \.stored).insert(name, at: index)
  }

  func removeObject(fromNamesAt index: Int) {
    mutableArrayValue(for: \.stored).remove(at: index)
  }
}

/// Unordered keys that accessor methods implement, in every documented combination.
@KeyValueObservable
final class Club {
  @KeyValueIgnored var stored: Set<String> = []
  @KeyValueIgnored var calls: [String] = []

  func takeCalls() -> [String] {
    defer { calls = [] }
    return calls
  }

  private func note(_ call: String, _ members: Set<String>) {
    calls.append("\(call) \(members.sorted())")
  }

  // One at a time.
  func getSingle() -> Set<String> { stored }
  func addSingleObject(_ member: String) {
    calls.append("add \(member)")
    stored.insert(member)
  }
  func removeSingleObject(_ member: String) {
    calls.append("remove \(member)")
    stored.remove(member)
  }

  // Several at a time.
  func getBatch() -> Set<String> { stored }
  func addBatch(_ members: Set<String>) {
    note("add", members)
    stored.formUnion(members)
  }
  func removeBatch(_ members: Set<String>) {
    note("remove", members)
    stored.subtract(members)
  }

  // Everything.
  func getFull() -> Set<String> { stored }
  func addFullObject(_ member: String) { addSingleObject(member) }
  func removeFullObject(_ member: String) { removeSingleObject(member) }
  func addFull(_ members: Set<String>) { addBatch(members) }
  func removeFull(_ members: Set<String>) { removeBatch(members) }
  func intersectFull(_ members: Set<String>) {
    note("intersect", members)
    stored.formIntersection(members)
  }
  func setFull(_ members: Set<String>) {
    note("set", members)
    stored = members
  }

  /// A property with methods that change it.
  var guests: Set<String> = []
  func addGuestsObject(_ guest: String) {
    calls.append("add \(guest)")
    guests.insert(guest)
  }
  func removeGuestsObject(_ guest: String) {
    calls.append("remove \(guest)")
    guests.remove(guest)
  }
}

/// A class whose accessor methods have side effects.
@KeyValueObservable
final class Payroll {
  var staff: [Employee] = []
  var edits = 0

  /// Inserts an employee, and raises the first one's salary.
  func insertObject(_ employee: Employee, inStaffAt index: Int) {
    staff.first?.salary += 1
    staff.insert(employee, at: index)
    edits += 1
  }

  /// Removes an employee, and gives the first one a new account.
  func removeObject(fromStaffAt index: Int) {
    staff.first?.account = Account(balance: 100)
    staff.remove(at: index)
    edits += 1
  }
}

/// A class whose insertion method ignores duplicates and employees without a name.
@KeyValueObservable
final class Gate {
  var inside: [Employee] = []

  func insertObject(_ employee: Employee, inInsideAt index: Int) {
    guard !inside.contains(employee), !employee.name.isEmpty else { return }
    inside.insert(employee, at: index)
  }

  func removeObject(fromInsideAt index: Int) {
    inside.remove(at: index)
  }
}

/// Optional collections, and collections behind a getter and a setter.
@KeyValueObservable
class Cabinet {
  var list: [String]?
  var set: Set<String>?
  var numbers: [Int] = []
  var inferred = [1, 2]
  var missing: [Int]?
  private(set) var guarded: [String] = []
  @NotifiesManually fileprivate(set) var marks: Set<String> = []
  var sealed: [String] { numbers.map { "\($0)" } }

  /// The numbers as strings.
  var texts: [String] {
    get { numbers.map { "\($0)" } }
    set { numbers = newValue.compactMap { Int($0) } }
  }

  /// The tags, stored in `kept`, and nil at first.
  @DependsOn("kept")
  var tags: Set<String>? {
    get { kept?.labels }
    set { kept = newValue.map(Labels.init) }
  }

  struct Labels {
    var labels: Set<String>
  }

  var kept: Labels?
}

/// An annotated class that inherits its collections.
@KeyValueObservable
final class LockedCabinet: Cabinet {
  var key = 1
}

/// An un-annotated class that inherits its collections.
final class PlainCabinet: Cabinet {}
