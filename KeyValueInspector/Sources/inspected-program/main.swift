import Dispatch
import Foundation
import KeyValueInspector
import KeyValueObserving

// A program with faults that are meant: the test of the page finds them. It prints the inspector's
// address, does its work, and then what the lines of its input say.

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
  case "rename": script.rename()
  case "burst": script.burst()
  case "thread": script.workElsewhere()
  case "stop": script.inspector?.stop()
  default: print("unknown: \(line)")
  }
  print("done \(line)")
  fflush(nil)
}
