import KeyValueObserving

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// Reads scenarios from standard input, runs the named scenario, and prints its history.
// Scripts/second-opinion compares the history with that of GNUstep's program.

/// Flushes the output at once, so that lines before a trap are visible.
func write(_ line: String) {
  print(line)
  fflush(nil)
}

guard CommandLine.arguments.count == 2 else {
  print("usage: kvo-second-opinion NAME < scenarios")
  exit(64)
}

// Handles violations as by default, but prints their kind: a scenario that ends here shows why.
KeyValueViolation.handler = { violation in
  write("  violation \(violation.kind)")
  if violation.kind != .tolerated { exit(0) }
}

let scenario = Scenario()
var isInside = false
var isFound = false
while let line = readLine() {
  let words = line.split(separator: " ")
  guard let first = words.first, !first.hasPrefix("#") else { continue }
  if first == "scenario" {
    isInside = words.count > 1 && words[1] == CommandLine.arguments[1]
    isFound = isFound || isInside
  } else if isInside {
    write(words.joined(separator: " "))
    scenario.run(words)
  }
}
exit(isFound ? 0 : 64)
