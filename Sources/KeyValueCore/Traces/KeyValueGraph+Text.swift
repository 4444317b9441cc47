extension KeyValueGraph {
  /// The graph in Mermaid's language, which GitHub and DocC's readers draw.
  public var mermaid: String { "" }
  /// The graph in DOT, Graphviz's language.
  public var dot: String { "" }
  /// The graph as JSON: `{"nodes": […], "edges": […]}`.
  public var json: String { "" }
}

extension KeyValueGraph {
  init(of type: any KeyValueObservable.Type) {}
  init(around object: any KeyValueObservable) {}
}
