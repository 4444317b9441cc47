// What the page asks for, as it gets it.

/// The first message to a page.
public struct Hello: Codable, Equatable, Sendable {
  public var program: String
  public var process: Int
  /// How many spans began before the page was opened.
  public var seen: Int
  /// The latest cascades.
  public var cascades: [Cascade]

  public init(program: String, process: Int, seen: Int, cascades: [Cascade]) {
    self.program = program
    self.process = process
    self.seen = seen
    self.cascades = cascades
  }
}

/// The objects, by class.
public struct ObjectsAnswer: Codable, Equatable, Sendable {
  public struct Class: Codable, Equatable, Sendable {
    public var name: String
    public var count: Int
    public var objects: [Object]
  }

  public struct Object: Codable, Equatable, Sendable {
    public var id: String
    public var name: String
    /// How many observers it has, and how often its keys changed.
    public var figures: String
  }

  public var classes: [Class]
  /// How many objects are listed.
  public var shown: Int
  /// How many others match.
  public var leftOut: Int
  /// The object to show if the reader has not chosen one.
  public var suggested: String?
}

/// One object's keys and observers.
public struct ObjectAnswer: Codable, Equatable, Sendable {
  public struct Key: Codable, Equatable, Sendable {
    public var key: String
    /// The last value that an event brought.
    public var value: String?
    public var changes: Int
  }

  public struct Observer: Codable, Equatable, Sendable {
    public var words: String
    public var deliveries: Int
    public var place: String?
  }

  public var name: String
  public var note: String
  public var keys: [Key]
  public var observers: [Observer]
}

/// What surrounds an object: keys and observers, and what leads from one to the other.
public struct GraphAnswer: Codable, Equatable, Sendable {
  public struct Node: Codable, Equatable, Sendable {
    public var id: String
    /// `key` or `observer`.
    public var kind: String
    public var title: String
    public var detail: String
    public var words: String
    /// The object that it belongs to.
    public var object: String
    public var isSelected: Bool
    public var isEnded: Bool
  }

  public struct Edge: Codable, Equatable, Sendable {
    public var from: String
    public var to: String
    /// `observes`, `depends` or `sets`.
    public var kind: String
    public var words: String
  }

  public var note: String
  public var nodes: [Node]
  public var edges: [Edge]
  /// The nodes of the last cause that reached an observer of the object, the origin first.
  public var lit: [String]
}

/// What is probably not meant.
public struct FindingsAnswer: Codable, Equatable, Sendable {
  public struct Finding: Codable, Equatable, Sendable {
    /// `cycle`, `avalanche`, `equal`, `again`, `growing`, `ended` or `slow`.
    public var kind: String
    public var title: String
    public var words: String
    /// The events that show it, in order.
    public var lines: [String]
    /// Whether it's more than a hint.
    public var isSerious: Bool
  }

  public var list: [Finding]
  public var note: String
}
