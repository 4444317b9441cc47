import FoundationKVO
import os

private var context = 0

// A window's class and a model's, nested, with all spellings of attributes.
@KeyValueObservable
class Document: NSObject {
  /// The document's shapes.
  @KeyValueObservable
  final class Shape: FoundationKVO.NSObject {
    dynamic var x = 0.0
    dynamic var y = 0.0
    dynamic var first: Int
    dynamic var second: Int
    var name = "shape"
    override init() {
      (first, second) = (1, 2)
      super.init()
    }
  }
  @KeyValueObservable
  fileprivate class Hidden: NSObject {
    fileprivate dynamic var state: Int { get { stored } set { stored = newValue } }
    private var stored = 0
  }

  var window: NSObject?
  dynamic var shapes: [Shape] = []

  dynamic func insertObject(_ shape: Shape, inShapesAtIndex index: Int) { shapes.insert(shape, at: index) }
  dynamic func removeObjectFromShapesAtIndex(_ index: Int) {
    shapes.remove(at: index)
  }
  func validateName(_ ioValue: UnsafeMutablePointer<AnyObject?>) throws {}

  func add() {
    insertObject(Shape(), inShapesAtIndex: 0)
    self.removeObjectFromShapesAtIndex(0)
    _ = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    let token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    _ = token
  }

  func save(_ sender: Any?) {
    addObserver(self, forKeyPath: "shapes", options: [], context: nil)
    removeObserver(self, forKeyPath: "shapes")
    _ = observe(\.window.title) { _, _ in }
    _ = observe(\Document.shapes) { _, _ in }
  }

  enum Kind: Int { case line, circle }
}

@KeyValueObservable
class Drawing: Document {
  override dynamic var shapes: [Shape] {
    get { mine }
    set { mine = newValue }
  }
  private var mine: [Shape] = []
}

protocol DocumentObserver: AnyObject {
  func documentDidChange(_ document: Document)
}
