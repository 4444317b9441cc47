// The answers to the page's requests.

/// The first message to a page.
package struct Hello: Codable, Equatable, Sendable {
  package var program: String
  package var process: Int
  /// How many spans began before the page was opened.
  package var seen: Int
  /// The latest cascades.
  package var cascades: [Cascade]
  /// The positions of the history, if the program has handed over a log.
  package var history: HistoryRange?

  package init(
    program: String, process: Int, seen: Int, cascades: [Cascade], history: HistoryRange?
  ) {
    self.program = program
    self.process = process
    self.seen = seen
    self.cascades = cascades
    self.history = history
  }
}

/// The positions of a log's history: the numbers of records that the graph can be shown with.
package struct HistoryRange: Codable, Equatable, Sendable {
  /// How many logs there have been; with a new one, the positions begin anew.
  package var log: Int
  package var first: Int
  package var last: Int
}

/// A log's graph after a number of records.
package struct HistoryAnswer: Codable, Equatable, Sendable {
  package struct Object: Codable, Equatable, Sendable {
    package var id: String
    package var name: String
    /// Whether the record brought it.
    package var isNew: Bool
    package var keys: [Key]
  }

  package struct Key: Codable, Equatable, Sendable {
    package var key: String
    package var value: String
    /// The value before the record, if the record changed it.
    package var old: String?
  }

  package var first: Int
  package var last: Int
  package var position: Int
  package var title: String
  /// What the record changed.
  package var edits: [String]
  package var objects: [Object]
  /// How many other objects the graph has.
  package var leftOut: Int
  /// Why the position can't be reached, if it can't.
  package var problem: String?
}

/// The objects, by class.
package struct ObjectsAnswer: Codable, Equatable, Sendable {
  package struct Class: Codable, Equatable, Sendable {
    package var name: String
    package var count: Int
    package var objects: [Object]
  }

  package struct Object: Codable, Equatable, Sendable {
    package var id: String
    package var name: String
    /// How many observers it has, and how often its keys changed.
    package var figures: String
  }

  package var classes: [Class]
  /// How many objects are listed.
  package var shown: Int
  /// How many others match.
  package var leftOut: Int
  /// The object to show if none is selected.
  package var suggested: String?
}

/// One object's keys and observers.
package struct ObjectAnswer: Codable, Equatable, Sendable {
  package struct Key: Codable, Equatable, Sendable {
    package var key: String
    /// The last value that an event reported.
    package var value: String?
    package var changes: Int
  }

  package struct Observer: Codable, Equatable, Sendable {
    package var words: String
    package var deliveries: Int
    package var place: String?
  }

  package var name: String
  package var note: String
  package var keys: [Key]
  package var observers: [Observer]
}

/// An object's surroundings: keys and observers, and the edges between them.
package struct GraphAnswer: Codable, Equatable, Sendable {
  package struct Node: Codable, Equatable, Sendable {
    package var id: String
    /// `key` or `observer`.
    package var kind: String
    package var title: String
    package var detail: String
    package var words: String
    /// The object that the node belongs to.
    package var object: String
    package var isSelected: Bool
    package var isEnded: Bool
    /// The nodes that this one stands for, if it's a combined node, which a click opens.
    package var members: [String] = []
  }

  package struct Edge: Codable, Equatable, Sendable {
    package var from: String
    package var to: String
    /// `observes`, `depends` or `sets`.
    package var kind: String
    package var words: String
    /// Whether one end is a combined node; then a cycle of edges needn't be one of objects.
    package var isCombined = false
  }

  package var note: String
  package var nodes: [Node]
  package var edges: [Edge]
  /// The nodes of the last cause that reached an observer of the object, origin first.
  package var lit: [String]
}

/// Probable mistakes in the program.
package struct FindingsAnswer: Codable, Equatable, Sendable {
  package struct Finding: Codable, Equatable, Sendable {
    /// `cycle`, `avalanche`, `equal`, `again`, `growing`, `ended`, `violation` or `times`.
    package var kind: String
    package var title: String
    package var words: String
    /// The events that show the finding, in order.
    package var lines: [String]
    /// Whether it's more than a hint.
    package var isSerious: Bool
    /// What it's about; a later finding of the same kind about the same replaces it.
    ///
    /// The page doesn't get it.
    var subject: Set<String> = []

    private enum CodingKeys: String, CodingKey { case kind, title, words, lines, isSerious }
  }

  package var list: [Finding]
  package var note: String
}
