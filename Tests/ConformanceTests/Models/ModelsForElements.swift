import KeyValueObserving
import KeyValueTestSupport

// A chest with looked-through collections of every kind.

protocol Weighed: KeyValueObservable {
  var weight: Int { get }
}

@KeyValueObservable
final class Piece: Weighed, Hashable {
  var weight: Int
  weak var maker: Piece?
  @KeyValueIgnored let reads: ReadCounter?

  /// The weight, from a getter that counts its calls.
  @DependsOn("weight")
  var counted: Int {
    reads?.count += 1
    return weight
  }

  init(_ weight: Int = 0, reads: ReadCounter? = nil) {
    self.weight = weight
    self.reads = reads
  }

  static func == (left: Piece, right: Piece) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
final class Tool: Weighed {
  var weight: Int

  init(_ weight: Int) {
    self.weight = weight
  }
}

@KeyValueObservable
final class Chest {
  var pieces: [Piece] = []
  var spares: [Piece]?
  var gaps: [Piece?] = []
  var mixed: [any Weighed] = []
  var kinds: Set<Piece> = []
  var anything: Any = [Piece]()
  @NotifiesManually var pile: [Piece] = []

  // Inferred from the collections and their elements.
  var piecesTotal: Int { pieces.reduce(0) { $0 + $1.weight } }
  var sparesTotal: Int { (spares ?? []).reduce(0) { $0 + $1.weight } }
  var kindsTotal: Int { kinds.reduce(0) { $0 + $1.weight } }

  @DependsOn("gaps.weight")
  var gapsTotal: Int { gaps.reduce(0) { $0 + ($1?.weight ?? 0) } }
  @DependsOn("mixed.weight")
  var mixedTotal: Int { mixed.reduce(0) { $0 + $1.weight } }

  @DependsOn("anything.weight")
  var anythingTotal: Int {
    let elements = (anything as? [any Weighed]) ?? Array(anything as? Set<Piece> ?? [])
    return elements.reduce(0) { $0 + $1.weight }
  }

  init(_ pieces: [Piece] = []) {
    self.pieces = pieces
  }
}

extension KeyValueObservable {
  /// Whether nothing is attached to the object.
  var isIdle: Bool { _$kvoWithRegistrar { $0.isIdle } }
}

/// Observes one collection of a chest in four ways, and knows what each observer has to receive.
final class Recount {
  private let chest: Chest
  private let key: String
  private let log = ChangeLog()
  private let weights: (Chest) -> [Int?]?
  private let isOrdered: Bool
  private var tokens: [KeyValueObservation] = []
  private(set) var last: [String] = []

  /// `weights` returns the weights of the elements, added up and listed by the test itself.
  init(
    _ chest: Chest, _ key: String, isOrdered: Bool = true, _ weights: @escaping (Chest) -> [Int?]?
  ) throws {
    (self.chest, self.key, self.weights, self.isOrdered) = (chest, key, weights, isOrdered)
    let paths = ["\(key).@sum.weight", "\(key).@max.weight", "\(key).weight", "\(key)Total"]
    tokens = try paths.map { path in
      try chest.observe(path, options: [.old, .new]) { [log] _, change in
        let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
        log.note("\(path): \(change.kind) \(described(old)) to \(described(new))")
      }
    }
    last = values
  }

  /// The values as they are, from a new walk through the collection.
  private var values: [String] {
    guard let all = weights(chest) else { return ["nil", "nil", "nil", "0"] }
    let present = all.compactMap(\.self)
    let sum = "\(present.reduce(0, +))"
    let listed = (isOrdered ? all : present.map { $0 }).map { $0.map { "\($0)" } ?? "nil" }
    let each = isOrdered ? listed : Set(listed).sorted()
    return [
      sum, present.max().map { "\($0)" } ?? "nil", "[" + each.joined(separator: ", ") + "]", sum,
    ]
  }

  /// Expects that each of the four observers was called so many times since the last check, the last time
  /// with the values after all changes.
  func expect(calls: Int, _ step: String) -> [String] {
    let now = values
    defer { last = now }
    let paths = ["\(key).@sum.weight", "\(key).@max.weight", "\(key).weight", "\(key)Total"]
    let lines = log.take()
    let expected =
      calls == 0
      ? [] : zip(paths, zip(last, now)).map { "\($0): setting \($1.0) to \($1.1)" }
    return lines == expected ? [] : ["\(step): \(lines) instead of \(expected)"]
  }

  func end() {
    for token in tokens { token.invalidate() }
    tokens = []
  }
}

@KeyValueObservable
final class Pallet {
  var chest: Chest?
}
