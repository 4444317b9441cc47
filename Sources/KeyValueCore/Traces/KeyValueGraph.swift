/// A graph of objects, keys and observers, and of the connections between them.
///
/// ```swift
/// print(Person.keyValueGraph.mermaid)
/// print(person.observationGraph().dot)
/// ```
///
/// An edge points in the direction in which a change travels: from a key to a key that depends on
/// it, from a key to its observer, from a binding's source to its target.
public struct KeyValueGraph: Sendable, Hashable {
  /// Something that the graph connects.
  public struct Node: Sendable, Hashable, Identifiable {
    /// What a node stands for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A class.
      case type
      /// An object.
      case object
      /// A key of a class or an object.
      case key
      /// A closure, an object, or something else that's notified of changes.
      case observer
      /// A binding.
      case binding
    }

    /// The node's identifier in this graph.
    public let id: String
    /// What the node stands for.
    public let kind: Kind
    /// The node's text: a class, a key or an observer.
    public let label: String
    /// The node that contains this one, such as a key's object.
    public let parent: String?
    /// Where the registration was made; nil for other nodes, and if the place isn't known.
    public let place: String?

    package init(id: String, kind: Kind, label: String, parent: String?, place: String?) {
      self.id = id
      self.kind = kind
      self.label = label
      self.parent = parent
      self.place = place
    }
  }

  /// A connection from one node to another.
  public struct Edge: Sendable, Hashable {
    /// What an edge stands for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The target depends on the source.
      case dependency
      /// The target observes the source.
      case observation
      /// An observer's path leads from the source to the target's object.
      case hop
      /// The source's value is passed on to the target.
      case binding
    }

    /// The node at which the edge begins.
    public let source: String
    /// The node at which the edge ends.
    public let target: String
    /// What the edge stands for.
    public let kind: Kind
    /// The path, if it's longer than the key at which the edge begins.
    public let label: String?

    package init(source: String, target: String, kind: Kind, label: String?) {
      self.source = source
      self.target = target
      self.kind = kind
      self.label = label
    }
  }

  /// The nodes, in a stable order.
  public package(set) var nodes: [Node] = []
  /// The edges, in a stable order.
  public package(set) var edges: [Edge] = []

  package init() {}
}

extension KeyValueObservable {
  /// A graph of the class's keys and of what they depend on, including keys of other classes.
  public static var keyValueGraph: KeyValueGraph {
    KeyValueGraph(of: self)
  }

  /// A graph of the object's current observers, and of how changes reach them: keys, dependencies,
  /// objects on the observed paths, bindings and observers.
  ///
  /// The graph continues from a binding's source to its target.
  ///
  /// - Important: It reads no property. Call it where the object may be used.
  public func observationGraph() -> KeyValueGraph {
    KeyValueGraph(around: self)
  }
}
