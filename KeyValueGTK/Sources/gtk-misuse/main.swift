// Stops with the message of the misuse that its argument names, which a test compares.
import CGtk4
import Foundation
import KeyValueGTK
import KeyValueGTKTestSupport
import KeyValueObserving

@KeyValueObservable
final class Item {
  var name = "Ada"
  var isDone = false
  var parts: [Item] = []
  var levels: [Level] = []
}

/// A value that can't be text.
struct Level: GValueConvertible {
  let value: Double

  static var gType: GType { Double.gType }
  static func fits(_ type: GType) -> Bool { type == Double.gType }

  init(_ value: UnsafePointer<GValue>) throws { self.value = try Double(value) }

  func write(to value: UnsafeMutablePointer<GValue>) throws { try self.value.write(to: value) }
}

/// An object that another thread uses while this one waits.
struct Passed: @unchecked Sendable {
  let item: Item
}

if Display.failure != nil { exit(69) }

let item = Item()
let entry = gtk_entry_new()!

/// Changes the item on another thread.
@MainActor func onAnotherThread(_ change: @escaping @Sendable (Item) -> Void) {
  let passed = Passed(item: item)
  Thread { change(passed.item) }.start()
  sleep(10)
}

switch CommandLine.arguments.dropFirst().first {
case "no-property": item.kvo.name.bind(to: entry, "txt")
case "wrong-type": item.kvo.name.bindTwoWay(to: entry, "max-length")
case "read-only":
  item.kvo.name.bind(to: entry, "text-length") { $0.utf8.count }
case "no-text": _ = item.kvo.levels.listModel()
case "bound-key":
  item.kvo.name.bindTwoWay(to: entry, "text")
  onAnotherThread { $0.name = "Grace" }
case "mirror":
  _ = GObjectMirror.of(item)
  onAnotherThread { $0.name = "Grace" }
case "list":
  _ = item.kvo.parts.listModel()
  onAnotherThread { $0.parts.append(Item()) }
case "row":
  item.parts = [item]
  _ = item.kvo.parts.listModel(rearrangedBy: \.name)
  onAnotherThread { $0.name = "Grace" }
case "bad-name": GObjectMirror.register(Item.self, name: "a.b")
case "taken-name": GObjectMirror.register(Item.self, name: "GtkEntry")
case "second-name":
  _ = GObjectMirror.of(item)
  GObjectMirror.register(Item.self, name: "Thing")
default: exit(64)
}
