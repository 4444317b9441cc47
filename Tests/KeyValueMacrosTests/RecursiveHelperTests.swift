import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("A helper that calls itself")
struct RecursiveHelperTests {
  @Test(
    "L3 a call that leads further with each object, and so isn't followed to its end, is reported",
    arguments: [
      ("weight(of: self)", "weight(…)"), ("Self.sum(self)", "sum(…)"),
      ("children.reduce(0) { $0 + weight(of: $1) }", "weight(…)"),
      (
        """
        var total = 0
        func visit(_ node: Node) { total += node.value; node.children.forEach { visit($0) } }
        visit(self)
        return total
        """, "visit(…)"
      ),
      ("parent!.whole()", "parent.whole()"), ("whole()", "parent.part()"),
      ("turn()", "parent.back()"),
    ])
  func reported(_ getter: String, _ call: String) {
    let found = warnings(on: source(getter))
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("'result' calls '\(call)'") == true, "\(found)")
  }

  @Test(
    "D1 a recursion that leads to no further object is followed and not reported",
    arguments: [
      InferenceCase("power(3)", "value"),
      InferenceCase("power(value)", "value"),
      InferenceCase("divisor(value, other)", "value", "other"),
      InferenceCase(
        "alternating(parent!, friend!, 2)", "parent.value", "friend.value", "parent", "friend"),
      InferenceCase("padded(text, 2)", "text", "prefix"),
    ])
  func quiet(_ example: InferenceCase) {
    let source = self.source(example.getter)
    #expect(warnings(on: source) == [])
    #expect(Set(inferredPaths(of: "result", in: source)) == Set(example.paths))
  }

  @Test("L3 a recursion over values is followed to its end, and one between overloads unknown")
  func valuesAndOverloads() {
    let source = """
      @KeyValueObservable
      class Plan {
        struct Item { var name = ""; var children: [Item] = [] }
        var root: Item = Item()
        var order: Order
        var result: [String] { flat(root) }
        var total: Int { price(of: order) }
        func flat(_ item: Item) -> [String] { [item.name] + item.children.flatMap { flat($0) } }
        func price(of order: Order) -> Int { order.lines.reduce(0) { $0 + price(of: $1) } }
        func price(of line: Line) -> Int { line.cost }
      }
      """
    #expect(warnings(on: source).filter { $0.contains("calls") } == [])
    #expect(inferredPaths(of: "result", in: source) == ["root.name", "root.children"])
  }

  private func source(_ getter: String) -> String {
    """
    @KeyValueObservable
    class Node {
      var value = 1
      var other = 1
      var text = ""
      var prefix = ""
      var children: [Node] = []
      var parent: Node?
      var friend: Node?
      func weight(of node: Node) -> Int {
        node.value + node.children.reduce(0) { $0 + weight(of: $1) }
      }
      static func sum(_ node: Node) -> Int {
        node.value + node.children.reduce(0) { $0 + sum($1) }
      }
      func whole() -> Int { value + parent!.part() }
      func part() -> Int { whole() }
      func turn() -> Int { parent!.back() }
      func back() -> Int { parent!.turn() }
      func power(_ n: Int) -> Int { n == 0 ? value : power(n - 1) }
      func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
      func alternating(_ a: Node, _ b: Node, _ n: Int) -> Int {
        n == 0 ? a.value : alternating(b, a, n - 1)
      }
      func padded(_ text: String, _ n: Int) -> String {
        n == 0 ? text : padded(prefix + text, n - 1)
      }
      var result: Any { \(getter) }
    }
    """
  }
}
