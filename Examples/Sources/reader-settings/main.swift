import FoundationKVO

let suite = "swift-kvo.reader"
let defaults = UserDefaults(suiteName: suite)!
defaults.removePersistentDomain(forName: suite)

let settings = Settings(defaults: defaults)

print("A window and the panel open.")
let window = ReaderWindow(title: "window", settings: settings)
let panel = PreferencesPanel()
panel.settings = settings

print("Code sets properties.")
settings.fontSize = 14
settings.theme = .dark
settings.theme = .dark
settings.open("Emma.txt")
settings.open("Persuasion.txt")
settings.open("Emma.txt")

print("The panel's controls set values by key.")
panel.enter(99, forKey: "fontSize")
panel.enter(true, forKey: "justifies")
panel.enter(nil, forKey: "fontSize")

print("Another part of the program changes the defaults.")
defaults.set(Theme.sepia.rawValue, forKey: SettingsKey.theme)
UserDefaults(suiteName: suite)!.set(18, forKey: SettingsKey.fontSize)

print("The window closes, and the defaults are restored.")
window.close()
settings.restoreDefaults()
panel.settings = nil

let keys = ["fontSize", "lineHeight", "theme"]
for (key, value) in settings.dictionaryWithValues(forKeys: keys).sorted(by: { $0.key < $1.key }) {
  print("\(key): \(value)")
}
defaults.removePersistentDomain(forName: suite)
