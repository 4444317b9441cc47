import FoundationKVO

/// Records every change of the objects that it observes, so that it can be undone.
@KeyValueObservable
class EditHistory: NSObject {
  private static var context = 0

  let undoManager = UndoManager()
  private var keysByObject: [NSObject: [String]] = [:]

  override init() {
    super.init()
    undoManager.groupsByEvent = false
  }

  deinit {
    for object in Array(keysByObject.keys) { stopObserving(object) }
  }

  func startObserving(_ object: NSObject, keys: [String]) {
    guard keysByObject.updateValue(keys, forKey: object) == nil else { return }
    for key in keys {
      object.addObserver(
        self, forKeyPath: key, options: [.old, .new], context: &EditHistory.context)
    }
  }

  func stopObserving(_ object: NSObject) {
    for key in keysByObject.removeValue(forKey: object) ?? [] {
      object.removeObserver(self, forKeyPath: key, context: &EditHistory.context)
    }
  }

  func group(_ name: String, _ changes: () -> Void) {
    undoManager.beginUndoGrouping()
    undoManager.setActionName(name)
    changes()
    undoManager.endUndoGrouping()
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &EditHistory.context, let keyPath = keyPath, let change = change,
      let object = object as? NSObject, let rawKind = change[.kindKey] as? UInt,
      let kind = NSKeyValueChange(rawValue: rawKind)
    else {
      return super.observeValue(
        forKeyPath: keyPath, of: object, change: change, context: context)
    }
    if let indexes = change[.indexesKey] as? IndexSet {
      recordArray(object, keyPath, kind, indexes, change)
    } else if kind == .setting {
      let old = change[.oldKey].flatMap { $0 is NSNull ? nil : $0 }
      undoManager.registerUndo(withTarget: object) { $0.setValue(old, forKeyPath: keyPath) }
    } else {
      recordSet(object, keyPath, change)
    }
  }

  private func recordArray(
    _ object: NSObject, _ keyPath: String, _ kind: NSKeyValueChange, _ indexes: IndexSet,
    _ change: [NSKeyValueChangeKey: Any]
  ) {
    let old = change[.oldKey] as? [Any] ?? []
    undoManager.registerUndo(withTarget: object) { object in
      let array = object.mutableArrayValue(forKeyPath: keyPath)
      switch kind {
      case .insertion: array.removeObjects(at: indexes)
      case .removal: array.insert(old, at: indexes)
      default: array.replaceObjects(at: indexes, with: old)
      }
    }
  }

  private func recordSet(
    _ object: NSObject, _ keyPath: String, _ change: [NSKeyValueChangeKey: Any]
  ) {
    let old = change[.oldKey] as? Set<AnyHashable> ?? []
    let new = change[.newKey] as? Set<AnyHashable> ?? []
    undoManager.registerUndo(withTarget: object) { object in
      let set = object.mutableSetValue(forKeyPath: keyPath)
      if !new.isEmpty { set.minus(new) }
      if !old.isEmpty { set.union(old) }
    }
  }
}
