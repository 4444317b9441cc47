import KeyValueObserving
import KeyValueTestSupport

/// A class with values to bind.
@KeyValueObservable
final class Mixer {
  var volume = 1
  var gain = 0.5
  var title: String? = "Mix"
  var next: Mixer?
  var age = 36
  /// A value that its validator limits to 120, and refuses below 0.
  var limit = 50
  let serial = 7
  /// Depends on the volume, by inference.
  var doubled: Int {
    get { volume * 2 }
    set { volume = newValue / 2 }
  }

  struct TooSmall: Error, CustomStringConvertible {
    var description: String { "too small." }
  }

  func validateLimit(_ value: inout Int) throws {
    if value < 0 { throw TooSmall() }
    value = min(value, 120)
  }

  func validateTitle(_ value: inout String?) throws {
    if value == "" { value = nil }
  }
}

/// A control that shows values and sets them.
@KeyValueObservable
final class Slider {
  var value = 0
  var text = ""
  var optionalText: String?
  var optionalNumber: Int?
  /// A value that `didSet` limits to 10.
  var clamped = 0 {
    didSet { if clamped > 10 { clamped = 10 } }
  }
  /// A value that its validator makes even.
  var even = 0

  func validateEven(_ value: inout Int) throws {
    value -= value % 2
  }
}

/// A target that records every value it is set to.
@KeyValueObservable
final class PlainLabel {
  var text = "" { didSet { history.append(text) } }
  var number: Int?
  @KeyValueIgnored var history: [String] = []
}

struct NotANumber: Error, CustomStringConvertible {
  var description: String { "not a number." }
}

func parse(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw NotANumber() }
  return number
}

/// A target that holds values in several places.
@KeyValueObservable
final class Screen {
  var text = ""
  var number: Int?
  var count = 0
  var frame = Frame()
  var panel: Pane?
  private(set) var locked = 0
  let fixed = 0
  var computed: Int { count * 2 }
}

@KeyValueObservable
final class Pane {
  var title = "-"
  var count = -1
  var frame = Frame()
  var screen: Screen?
}

struct NotTwoDigits: Error {}

/// A class without the macro.
final class Turbine {
  var power = 0
  var next: Turbine?
  var parts = ["a"]
}

@KeyValueObservable
final class Works {
  let fixed = Turbine()
  var turbine = Turbine()
  var spare: Turbine?
}
