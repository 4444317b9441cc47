import KeyValueObserving

/// The class that random programs observe, with every shape of key in the rules.
@KeyValueObservable
class FuzzNode: Hashable {
  let serial: Int
  @KeyValueIgnored private let onDeath: (Int) -> Void

  var number = 0
  var text = ""
  var note: String?
  var next: FuzzNode?
  weak var peer: FuzzNode?
  var items: [FuzzNode] = []
  var group: Set<FuzzNode> = []
  var values: [Int] = []
  var marks: Set<Int> = []
  @NotifiesManually var manual = 0
  @NotifiesManually var staff: [FuzzNode] = []
  @NotifiesManually var link: FuzzNode?
  /// Proxies change it through the methods below.
  var shelf: [Int] = []
  var width = 0
  /// Proxies change it through methods that also replace, and that take several elements.
  var rack: [Int] = []
  /// Proxies change it through the methods of a set.
  var flags: Set<Int> = []
  var badge: FuzzBadge?
  var folder: [String: FuzzNode] = [:]
  // Equal to others that hold something else.
  var tag = FuzzTag(number: 0, data: 0)
  var tags: [FuzzTag] = []
  var seals: Set<FuzzTag> = []
  var slips: [FuzzSlip] = []
  var coin: FuzzCoin?
  var coins: [FuzzCoin] = []
  var purse: Set<FuzzCoin> = []
  // Nil until a proxy or an assignment makes them.
  var wishes: [Int]?
  var crew: [FuzzNode]?
  var signs: Set<Int>?
  // Announced by the class itself in the subclass.
  var pulse = 0
  var phase = 0
  /// A dictionary that no path leads through.
  var index: [Int: FuzzNode] = [:]
  /// The elements of the key `line`, which only methods implement.
  @KeyValueIgnored private var lineElements: [Int] = []

  // Inferred from text and number; then from label and note.
  var label: String { "\(text):\(number)" }
  var caption: String { "\(label)/\(note ?? "-")" }

  // Across objects.
  @DependsOn("number", "next.number", "peer.number")
  var reach: Int { number + 10 * (next?.number ?? 0) + 100 * (peer?.number ?? 0) }

  // A relationship computed from two others.
  @DependsOn("next", "peer")
  var nearest: FuzzNode? { next ?? peer }

  // Through collections.
  @DependsOn("items.number")
  var total: Int { items.reduce(0) { $0 + $1.number } }
  @DependsOn("group.@sum.number", "next.total")
  var wealth: Int { group.reduce(0) { $0 + $1.number } + (next?.total ?? 0) }

  // Through a collection, inferred.
  var load: Int { items.reduce(0) { $0 + 2 * $1.number } }

  // Through a collection that may be nil.
  @DependsOn("crew.number")
  var muster: Int { crew?.reduce(0) { $0 + $1.number } ?? -1 }

  // Through a dictionary, and on a weak key itself.
  @DependsOn("folder.a.number")
  var filed: Int { folder["a"]?.number ?? 0 }
  var lonely: Int { peer == nil ? 1 : 0 }

  // From the keys that the subclass announces; the subclass announces the second, too.
  var rhythm: Int { 10 * pulse + phase }
  var beat: Int { pulse - phase }

  class func automaticallyNotifiesObserversOfPulse() -> Bool { true }

  // A cycle of keys, and one through cycles of objects.
  @DependsOn("pong", "number")
  var ping: Int { number }
  @DependsOn("ping", "next.ping", "manual")
  var pong: Int { number - (next?.number ?? 0) + 100 * manual }

  // With a setter.
  @DependsOn("number")
  var doubled: Int {
    get { number * 2 }
    set { number = newValue / 2 }
  }

  func validateWidth(_ width: inout Int) throws { width = try Validity.width(width) }
  func validateText(_ text: inout String) { text = Validity.text(text) }

  func insertObject(_ number: Int, inShelfAt index: Int) { shelf.insert(number, at: index) }
  func removeObject(fromShelfAt index: Int) { shelf.remove(at: index) }

  func insertObject(_ number: Int, inRackAt index: Int) { rack.insert(number, at: index) }
  func removeObject(fromRackAt index: Int) { rack.remove(at: index) }
  func replaceObject(inRackAt index: Int, with number: Int) { rack[index] = number }
  func insertRack(_ numbers: [Int], at indexes: RangeSet<Int>) {
    for (number, index) in zip(numbers, indexes.ranges.joined()) { rack.insert(number, at: index) }
  }
  func removeRack(at indexes: RangeSet<Int>) { rack.removeSubranges(indexes) }
  func replaceRack(at indexes: RangeSet<Int>, with numbers: [Int]) {
    for (number, index) in zip(numbers, indexes.ranges.joined()) { rack[index] = number }
  }

  func addFlagsObject(_ flag: Int) { flags.insert(flag) }
  func removeFlagsObject(_ flag: Int) { flags.remove(flag) }
  func addFlags(_ others: Set<Int>) { flags.formUnion(others) }
  func removeFlags(_ others: Set<Int>) { flags.subtract(others) }
  func intersectFlags(_ others: Set<Int>) { flags.formIntersection(others) }
  func setFlags(_ others: Set<Int>) { flags = others }

  func countOfLine() -> Int { lineElements.count }
  func objectInLine(at index: Int) -> Int { lineElements[index] }
  func insertObject(_ number: Int, inLineAt index: Int) { lineElements.insert(number, at: index) }
  func removeObject(fromLineAt index: Int) { lineElements.remove(at: index) }

  init(_ serial: Int, onDeath: @escaping (Int) -> Void) {
    self.serial = serial
    self.onDeath = onDeath
  }

  deinit { onDeath(serial) }

  static func == (left: FuzzNode, right: FuzzNode) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(serial) }

  /// Whether the object is of the subclass, as every fourth object is.
  static func isLeader(_ serial: Int) -> Bool { serial % 4 == 3 }

  static func className(of serial: Int) -> String { isLeader(serial) ? "FuzzLeader" : "FuzzNode" }

  static func make(_ serial: Int, onDeath: @escaping (Int) -> Void) -> FuzzNode {
    isLeader(serial)
      ? FuzzLeader(serial, onDeath: onDeath) : FuzzNode(serial, onDeath: onDeath)
  }
}

/// A subclass with keys that depend on inherited keys, and an override that adds a dependency.
@KeyValueObservable
final class FuzzLeader: FuzzNode {
  var level = 1
  @DependsOn("level", "label")
  var rank: String { "\(label)@\(level)" }

  @DependsOn("level")
  override var reach: Int { super.reach + 1000 * level }

  override class func automaticallyNotifiesObserversOfPulse() -> Bool { false }
  override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    !["phase", "beat"].contains(key) && super.automaticallyNotifiesObservers(forKey: key)
  }
}

extension FuzzNode {
  /// The same with numbers as keys.
  static func index(_ entries: [String: FuzzNode]) -> [Int: FuzzNode] {
    Dictionary(uniqueKeysWithValues: entries.map { (Int($0.key) ?? 0, $0.value) })
  }

  /// Sets all that refers to other objects to nothing, which breaks cycles.
  func letGoOfObjects() {
    next = nil
    link = nil
    badge = nil
    items = []
    staff = []
    group = []
    folder = [:]
    coin = nil
    coins = []
    purse = []
    crew = nil
    index = [:]
  }
}
