/// Objects, keys and observers, and what leads from one to the other.
///
/// ```swift
/// print(Person.keyValueGraph.mermaid)
/// print(person.observationGraph().dot)
/// ```
///
/// An edge leads the way a change goes: from a key to the key that depends on it, from a key to its
/// observer, from a binding's source to its target.
public struct KeyValueGraph: Sendable, Hashable {
  /// What a graph connects.
  public struct Node: Sendable, Hashable, Identifiable {
    /// What a node stands for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A class.
      case type
      /// An object.
      case object
      /// A key of a class or an object.
      case key
      /// A closure, an object, or something else that's told of changes.
      case observer
      /// A binding.
      case binding
    }

    /// The node's name in this graph.
    public let id: String
    /// What it stands for.
    public let kind: Kind
    /// Its text: a class, a key, an observer.
    public let label: String
    /// The node that it is a part of: a key's object.
    public let parent: String?
    /// Where a registration was made; nil for other nodes, and where it isn't known.
    public let place: String?

    package init(id: String, kind: Kind, label: String, parent: String?, place: String?) {
      self.id = id
      self.kind = kind
      self.label = label
      self.parent = parent
      self.place = place
    }
  }

  /// What leads from one node to another.
  public struct Edge: Sendable, Hashable {
    /// What leads along an edge.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The target depends on the source.
      case dependency
      /// The target observes the source.
      case observation
      /// An observer's path leads from the source to the object of the target.
      case hop
      /// The source's value is passed on to the target.
      case binding
    }

    /// The node that it begins at.
    public let source: String
    /// The node that it leads to.
    public let target: String
    /// What leads along it.
    public let kind: Kind
    /// The path, where it's longer than the key that the edge begins at.
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
  /// The class's keys and what they depend on, through other classes too.
  public static var keyValueGraph: KeyValueGraph {
    KeyValueGraph(of: self)
  }

  /// What observes the object now, and how it gets there: keys, dependencies, objects on the
  /// observed paths, bindings and observers.
  ///
  /// It follows observers that lead on: from a binding's source to its target.
  ///
  /// - Important: It reads no property. Call it where the object may be used.
  public func observationGraph() -> KeyValueGraph {
    KeyValueGraph(around: self)
  }
}
