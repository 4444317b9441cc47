// Measures what the inspector costs a program with 10,000 events a second.
//   swift run -c release --package-path KeyValueInspector inspector-cost [SECONDS]
// The program makes 2,500 changes a second, each with one observer and four events. It runs in each setting
// for some seconds (4 by default), three times in turn, and prints the medians.

import Foundation
import KeyValueInspector
import KeyValueObserving

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 4
let person = Person()
let observation = person.kvo.age.observe(options: [.old, .new]) { _, _ in }

var costs: [Setting: [Cost]] = [:]
for _ in 1...3 {
  for setting in Setting.allCases {
    costs[setting, default: []].append(try Cost(of: setting, changing: person, seconds: seconds))
  }
}
observation.invalidate()

func columns(_ name: String, _ values: String...) -> String {
  let values = values.map { String(repeating: " ", count: max(1, 22 - $0.count)) + $0 }
  return name.padding(toLength: 46, withPad: " ", startingAt: 0) + values.joined()
}
print(columns("", "a change, µs", "beside it, ms/s"))
for setting in Setting.allCases {
  let cost = Cost(medianOf: costs[setting] ?? [])
  print(
    columns(
      setting.rawValue, String(format: "%.2f", cost.microsecondsPerChange),
      String(format: "%.1f", cost.millisecondsPerSecond)))
}
