/// `FoundationKVO`'s `@KeyValueObservable`: the same for a class as a Cocoa source declares it.
enum CocoaObservableMacro: ObservableMacro {
  static let style = ObservableStyle.cocoa
}
