import class Foundation.NSObject

class Model: NSObject {
  @objc(title) dynamic var name = ""
  @NSManaged var saved: Int
  @objc dynamic lazy var late = 1
  let table = NSMapTable<NSObject, NSObject>()

  func act(_ task: URLSessionTask) {
    objc_sync_enter(self)
    perform(#selector(act))
    undo.prepare(withInvocationTarget: self)
    field.bind(.value, to: self, withKeyPath: "name", options: nil)
    keyValueObservingExpectation(for: self, keyPath: "name")
    task.progress.addObserver(self, forKeyPath: "fractionCompleted", options: [], context: nil)
    _ = (task as AnyObject).state
    class Local: NSObject {}
  }
}

extension Model {
  @objc dynamic var extra: Int { 1 }
  override func act2() {}
  @objc class func keyPathsForValuesAffectingExtra() -> Set<String> { [] }
}

extension UserDefaults {
  @objc dynamic var theme: String? { string(forKey: "theme") }
}

@objc protocol Delegate {
  @objc optional func changed()
}

@MainActor class Screen: NSObject {
  @objc dynamic var size = 1
}
