import FoundationKVO

enum Theme: Int {
  case light, sepia, dark

  var title: String { ["Light", "Sepia", "Dark"][rawValue] }
}

enum SettingsKey {
  static let fontSize = "reader.fontSize"
  static let theme = "reader.theme"
  static let justifies = "reader.justifies"
  static let recentFiles = "reader.recentFiles"

  static let all = [fontSize, theme, justifies, recentFiles]
}

/// The user's settings as properties, whatever code or process changes the defaults under them.
@KeyValueObservable
class Settings: NSObject {
  private static var context = 0

  static let sizes = 9.0...36.0

  let defaults: UserDefaults

  init(defaults: UserDefaults) {
    self.defaults = defaults
    super.init()
    defaults.register(defaults: [
      SettingsKey.fontSize: 12.0,
      SettingsKey.theme: Theme.light.rawValue,
      SettingsKey.justifies: false,
      SettingsKey.recentFiles: [String](),
    ])
    for key in SettingsKey.all {
      defaults.addObserver(
        self, forKeyPath: key, options: [.prior], context: &Settings.context)
    }
  }

  deinit {
    for key in SettingsKey.all {
      defaults.removeObserver(self, forKeyPath: key, context: &Settings.context)
    }
  }

  // MARK: Properties stored in the defaults

  dynamic var fontSize: Double {
    get { defaults.double(forKey: SettingsKey.fontSize) }
    set { defaults.set(newValue, forKey: SettingsKey.fontSize) }
  }

  dynamic var theme: Theme {
    get { Theme(rawValue: defaults.integer(forKey: SettingsKey.theme)) ?? .light }
    set { defaults.set(newValue.rawValue, forKey: SettingsKey.theme) }
  }

  dynamic var justifies: Bool {
    get { defaults.bool(forKey: SettingsKey.justifies) }
    set { defaults.set(newValue, forKey: SettingsKey.justifies) }
  }

  dynamic var recentFiles: [String] {
    get { defaults.stringArray(forKey: SettingsKey.recentFiles) ?? [] }
    set { defaults.set(newValue, forKey: SettingsKey.recentFiles) }
  }

  // The defaults notify observers of these, so the setters don't.
  override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    SettingsKey.all.contains("reader.\(key)")
      ? false : super.automaticallyNotifiesObservers(forKey: key)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &Settings.context, let keyPath = keyPath else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    let key = String(keyPath.dropFirst("reader.".count))
    if change?[.notificationIsPriorKey] as? Bool == true {
      willChangeValue(forKey: key)
    } else {
      didChangeValue(forKey: key)
    }
  }

  // MARK: Derived values

  var lineHeight: Double { (fontSize * 1.4).rounded() }

  class func keyPathsForValuesAffectingLineHeight() -> Set<String> {
    ["fontSize"]
  }

  var styleSheet: String {
    let size = String(format: "%.0f/%.0f", fontSize, lineHeight)
    return "\(size) \(theme.title)\(justifies ? " justified" : "")"
  }

  class func keyPathsForValuesAffectingStyleSheet() -> Set<String> {
    [
      "fontSize", "theme", "justifies",
    ]
  }

  func validateFontSize(
    _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>
  ) throws {
    guard let size = ioValue.pointee as? NSNumber else { return }
    let limited = min(max(size.doubleValue, Settings.sizes.lowerBound), Settings.sizes.upperBound)
    ioValue.pointee = NSNumber(value: limited)
  }

  override func setNilValueForKey(_ key: String) {
    guard SettingsKey.all.contains("reader.\(key)") else {
      return super.setNilValueForKey(key)
    }
    defaults.removeObject(forKey: "reader.\(key)")
  }

  // MARK: Commands

  func open(_ file: String) {
    recentFiles = Array(([file] + recentFiles.filter { $0 != file }).prefix(3))
  }

  func restoreDefaults() {
    for key in SettingsKey.all { defaults.removeObject(forKey: key) }
  }
}
