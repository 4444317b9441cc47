import KeyValueFuzzing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Flushes the output at once, so that the last seed is visible if a program crashes.
func say(_ line: Any) {
  print(line)
  fflush(nil)
}

do {
  let options = try FuzzOptions(CommandLine.arguments.dropFirst())
  let isGood = options.checksLeaks ? try LeakRun(options).run() : FuzzRun(options).run()
  exit(isGood ? 0 : 1)
} catch {
  print(error)
  exit(64)
}
