import FoundationKVO

/// Prints what a window of the reader would update.
@KeyValueObservable
class ReaderWindow: NSObject {
  let title: String
  private let settings: Settings
  private var observations: [NSKeyValueObservation] = []

  init(title: String, settings: Settings) {
    self.title = title
    self.settings = settings
    super.init()
    observations = [
      settings.observe(\.styleSheet, options: [.initial, .new]) { [unowned self] _, change in
        self.show("style \(change.newValue ?? "")")
      },
      settings.observe(\.recentFiles, options: [.old, .new]) { [unowned self] _, change in
        let added = Set(change.newValue ?? []).subtracting(change.oldValue ?? [])
        self.show("menu \(change.newValue ?? []), new: \(added.sorted())")
      },
    ]
  }

  func close() {
    observations.forEach { $0.invalidate() }
    observations = []
  }

  private func show(_ line: String) {
    print("  \(title): \(line)")
  }
}

/// The panel, whose controls set values by key and show values of key paths.
@KeyValueObservable
class PreferencesPanel: NSObject {
  private static var context = 0

  dynamic var settings: Settings?

  private let keyPaths = [
    "settings.fontSize", "settings.theme",
  ]

  override init() {
    super.init()
    for keyPath in keyPaths {
      addObserver(self, forKeyPath: keyPath, options: [.new], context: &PreferencesPanel.context)
    }
  }

  deinit {
    for keyPath in keyPaths {
      removeObserver(self, forKeyPath: keyPath, context: &PreferencesPanel.context)
    }
  }

  func enter(_ value: Any?, forKey key: String) {
    var object = value as AnyObject?
    do {
      try settings?.validateValue(&object, forKey: key)
      settings?.setValue(object, forKey: key)
    } catch {
      print("  panel: \(error.localizedDescription)")
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &PreferencesPanel.context else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    guard let number = change?[.newKey] as? NSNumber else {
      return print("  panel: \(keyPath!) is empty")
    }
    print("  panel: \(keyPath!) \(number)")
  }
}
