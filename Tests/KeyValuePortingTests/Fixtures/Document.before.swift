import Cocoa
import Foundation
import os

private var context = 0

// A window's class and a model's, nested, with all spellings of attributes.
@objcMembers
class Document: NSObject {
  /// The document's shapes.
  @objc(Shape)
  final class Shape: Foundation.NSObject {
    @objc dynamic var x = 0.0, y = 0.0
    @objc dynamic var first, second: Int
    @IBInspectable var name = "shape"
    override init() {
      (first, second) = (1, 2)
      super.init()
    }
  }
  private class Hidden: NSObject {
    @objc private dynamic var state: Int { get { stored } set { stored = newValue } }
    private var stored = 0
  }

  @IBOutlet var window: NSObject?
  @objc dynamic var shapes: [Shape] = []

  @objc(insertObject:inShapesAtIndex:)
  dynamic func insert(_ shape: Shape, at index: Int) { shapes.insert(shape, at: index) }
  @objc(removeObjectFromShapesAtIndex:) dynamic func removeShape(at index: Int) {
    shapes.remove(at: index)
  }
  @objc(validateName:error:) func validate(name ioValue: UnsafeMutablePointer<AnyObject?>) throws {}

  func add() {
    insert(Shape(), at: 0)
    self.removeShape(at: 0)
    NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    let token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    _ = token
  }

  @IBAction func save(_ sender: Any?) {
    addObserver(self, forKeyPath: #keyPath(Document.shapes), options: [], context: nil)
    removeObserver(self, forKeyPath: #keyPath(shapes))
    _ = observe(\Document.window.title) { _, _ in }
    _ = observe(\Document.shapes) { _, _ in }
  }

  @objc enum Kind: Int { case line, circle }
}

class Drawing: Document {
  override var shapes: [Shape] {
    get { mine }
    set { mine = newValue }
  }
  private var mine: [Shape] = []
}

@objc protocol DocumentObserver: AnyObject {
  @objc func documentDidChange(_ document: Document)
}
