import Dispatch
import Foundation
import KeyValueInspector
import KeyValueObserving

// A program with deliberate faults, which the page's test finds. It prints the inspector's address,
// then runs the commands of its input, one per line.

let script = Script()
if ProcessInfo.processInfo.environment["KVO_INSPECT"] == nil {
  let inspector = try KeyValueInspector.start()
  print(inspector.url)
  fflush(nil)
  script.inspector = inspector
}

while let line = readLine() {
  switch line {
  case "begin": script.work()
  case "hire": script.hire()
  case "rename": script.rename()
  case "log": try script.keepLog()
  case "pay": script.payMore()
  case "burst": script.burst()
  case "crowd": script.crowd()
  case "thread": script.workElsewhere()
  case "stop": script.inspector?.stop()
  default: print("unknown: \(line)")
  }
  print("done \(line)")
  fflush(nil)
}
