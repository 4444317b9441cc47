import Foundation
import KeyValueObserving
import Testing

@Suite("Graphs of observed classes and objects")
struct GraphTests {
  @Test("A class's graph has dependencies within the class and through other classes")
  func ofClass() {
    #expect(
      TracedDepartment.keyValueGraph.mermaid == """
        graph LR
          subgraph n0["TracedDepartment"]
            n1["employees"]
            n2["totalSalary"]
          end
          subgraph n3["TracedEmployee"]
            n4["salary"]
          end
          n1 -->|"employees.salary"| n2
          n4 -->|"employees.salary"| n2

        """)
    #expect(
      TracedDepartment.keyValueGraph.dot == """
        digraph {
          rankdir=LR
          subgraph cluster_n0 {
            label="TracedDepartment"
            n1 [shape=box, label="employees"]
            n2 [shape=box, label="totalSalary"]
          }
          subgraph cluster_n3 {
            label="TracedEmployee"
            n4 [shape=box, label="salary"]
          }
          n1 -> n2 [style=solid, label="employees.salary"]
          n4 -> n2 [style=solid, label="employees.salary"]
        }

        """)
  }

  @Test("Two classes of one name are two classes in a graph")
  func ofClassesWithOneName() {
    #expect(
      TracedCart.Item.keyValueGraph.mermaid == """
        graph LR
          subgraph n0["Item"]
            n1["product"]
            n2["label"]
          end
          subgraph n3["Item"]
            n4["label"]
            n5["price"]
          end
          n5 --> n4
          n1 -->|"product.label"| n2
          n4 -->|"product.label"| n2

        """)
    #expect(
      TracedCart.Item.keyValueGraph.nodes.map(\.id)
        == ["Item", "Item.product", "Item.label", "Item 2", "Item 2.label", "Item 2.price"])
  }

  @Test("An object's graph has observers, hops, dependencies, bindings and places")
  func ofObject() {
    let department = TracedDepartment()
    department.employees = [TracedEmployee(1), TracedEmployee(2)]
    let field = TracedField()
    let binding = department.kvo.totalSalary.bind(to: field.kvo.text) { "\($0)" }
    let observation = field.kvo.text.observe { _, _ in }
    #expect(
      department.observationGraph().mermaid == """
        graph LR
          subgraph n0["TracedDepartment"]
            n2["totalSalary"]
            n3["employees"]
          end
          n1{{"binding to TracedField.text, GraphTests.swift:71"}}
          subgraph n4["TracedEmployee"]
            n5["salary"]
          end
          subgraph n6["TracedEmployee"]
            n7["salary"]
          end
          subgraph n8["TracedField"]
            n9["text"]
          end
          n10(["closure, GraphTests.swift:72"])
          n3 ==> n5
          n3 ==> n7
          n5 -->|"employees.salary"| n2
          n7 -->|"employees.salary"| n2
          n2 -.-> n1
          n1 --o n9
          n9 -.-> n10

        """)
    withExtendedLifetime((binding, observation)) {}
  }

  @Test("The JSON is valid, whatever the labels contain")
  func json() throws {
    var graph = KeyValueGraph()
    let label = "a \"quoted\" \\ text,\n with \u{1} and 🙂"
    graph.nodes = [.init(id: "n", kind: .observer, label: label, parent: nil, place: "A.swift:1")]
    graph.edges = [.init(source: "n", target: "n", kind: .binding, label: label)]
    let object = try JSONSerialization.jsonObject(with: Data(graph.json.utf8)) as? [String: Any]
    let nodes = object?["nodes"] as? [[String: String]]
    let edges = object?["edges"] as? [[String: String]]
    #expect(nodes == [["id": "n", "kind": "observer", "label": label, "place": "A.swift:1"]])
    #expect(edges == [["source": "n", "target": "n", "kind": "binding", "label": label]])
  }
}
