import FoundationKVO

private var employeeContext = 0

/// A list of employees, each of which the document observes, so that every change can be undone.
@KeyValueObservable
class Document: NSObject {
  let undoManager = UndoManager()
  private var undoObservers: [NSObjectProtocol] = []

  dynamic private(set) var changeCount = 0

  var employees: [Employee] = [] {
    willSet {
      for employee in employees { stopObserving(employee) }
    }
    didSet {
      for employee in employees { startObserving(employee) }
    }
  }

  override init() {
    super.init()
    // Each command of the window is one group.
    undoManager.groupsByEvent = false
    let center = NotificationCenter.default
    undoObservers = [
      center.addObserver(forName: .NSUndoManagerDidUndoChange, object: undoManager, queue: nil) {
        [weak self] _ in self?.changeCount -= 1
      },
      center.addObserver(forName: .NSUndoManagerDidRedoChange, object: undoManager, queue: nil) {
        [weak self] _ in self?.changeCount += 1
      },
    ]
  }

  deinit {
    undoObservers.forEach(NotificationCenter.default.removeObserver)
    for employee in employees { stopObserving(employee) }
  }

  var isEdited: Bool { changeCount != 0 }

  class func keyPathsForValuesAffectingIsEdited() -> Set<String> {
    ["changeCount"]
  }

  var averageRaise: Double {
    (value(forKeyPath: "employees.@avg.raise") as? NSNumber)?.doubleValue ?? 0
  }

  class func keyPathsForValuesAffectingAverageRaise() -> Set<String> {
    ["employees"]
  }

  func save() {
    changeCount = 0
  }

  func command(_ name: String, _ changes: () -> Void) {
    undoManager.beginUndoGrouping()
    changes()
    undoManager.setActionName(name)
    undoManager.endUndoGrouping()
    changeCount += 1
  }

  // MARK: Accessors for the array controller

  dynamic func insertObject(_ employee: Employee, inEmployeesAtIndex index: Int) {
    undoManager.registerUndo(withTarget: self) { document in
      document.removeObjectFromEmployeesAtIndex(index)
    }
    employees.insert(employee, at: index)
  }

  dynamic func removeObjectFromEmployeesAtIndex(_ index: Int) {
    let employee = employees[index]
    undoManager.registerUndo(withTarget: self) { document in
      document.insertObject(employee, inEmployeesAtIndex: index)
    }
    employees.remove(at: index)
  }

  // MARK: Key-value observing

  private func startObserving(_ employee: Employee) {
    for key in ["name", "raise"] {
      employee.addObserver(self, forKeyPath: key, options: .old, context: &employeeContext)
    }
  }

  private func stopObserving(_ employee: Employee) {
    for key in ["name", "raise"] {
      employee.removeObserver(self, forKeyPath: key, context: &employeeContext)
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &employeeContext, let keyPath = keyPath, let employee = object as? NSObject
    else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    var oldValue = change?[.oldKey]
    if oldValue is NSNull { oldValue = nil }
    undoManager.registerUndo(withTarget: employee) { employee in
      employee.setValue(oldValue, forKeyPath: keyPath)
    }
    // The average depends on every employee's raise.
    willChangeValue(forKey: "averageRaise")
    didChangeValue(forKey: "averageRaise")
  }
}
