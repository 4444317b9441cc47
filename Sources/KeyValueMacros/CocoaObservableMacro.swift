/// `FoundationKVO`'s `@KeyValueObservable`, for a class declared as in a Cocoa source.
enum CocoaObservableMacro: ObservableMacro {
  static let style = ObservableStyle.cocoa
}
