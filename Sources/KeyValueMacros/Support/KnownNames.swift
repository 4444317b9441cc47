/// Names of the standard library and of Foundation that the inference understands.
enum KnownNames {
  /// Functions that read only their arguments.
  static let functions: Set<String> = [
    "abs", "max", "min", "print", "debugPrint", "dump", "zip", "type", "stride", "repeatElement",
    "sequence", "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError",
    "swap", "numericCast", "unsafeBitCast", "unsafeDowncast", "withExtendedLifetime",
    "isKnownUniquelyReferenced", "withUnsafePointer", "withUnsafeBytes",
    "withUnsafeMutablePointer", "withUnsafeMutableBytes", "withUnsafeTemporaryAllocation",
    "readLine", "pow", "sqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10",
    "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "hypot", "floor", "ceil", "round", "trunc", "fmod", "fabs", "fmin", "fmax",
    "fdim", "copysign", "remainder", "lround", "rint", "lrint", "nearbyint", "ldexp", "frexp",
    "modf", "erf", "erfc", "tgamma", "lgamma", "isnan", "isinf", "strlen", "strcmp", "memcmp",
    "getenv", "getpid", "rand", "random", "arc4random", "arc4random_uniform", "drand48", "clock",
    "extractIsolation", "withoutActuallyEscaping", "autoreleasepool", "pthread_self", "time",
    "unsafe",
  ]

  /// The collection operators of key paths, as written in them.
  static let collectionOperators = [
    "@avg", "@count", "@distinctUnionOfArrays", "@distinctUnionOfObjects", "@distinctUnionOfSets",
    "@max", "@min", "@sum", "@unionOfArrays", "@unionOfObjects", "@unionOfSets",
  ]

  /// Global values that a getter may name.
  static let globals: Set<String> = [
    "errno", "stdin", "stdout", "stderr", "environ", "noErr", "os",
  ]

  /// Functions that don't read an object argument's properties.
  static let harmlessFunctions: Set<String> = [
    "print", "debugPrint", "dump", "type", "assert", "precondition", "withExtendedLifetime",
    "unsafeBitCast", "unsafeDowncast", "isKnownUniquelyReferenced", "zip", "swap",
    "withUnsafePointer", "repeatElement", "extractIsolation",
  ]

  /// Methods that only compare an object argument.
  static let harmlessMethods: Set<String> = [
    "contains", "firstIndex", "lastIndex", "index", "firstRange", "ranges", "isKind",
    "passUnretained", "passRetained", "append", "insert",
  ]

  /// Functions and initialisers that return an argument, or a collection of it.
  static let passing: Set<String> = [
    "max", "min", "zip", "Array", "ArraySlice", "ContiguousArray", "Set", "OrderedSet", "Deque",
    "AnySequence", "AnyCollection", "AnyBidirectionalCollection", "AnyRandomAccessCollection",
    "CollectionOfOne", "IteratorSequence", "Optional", "repeatElement",
  ]

  /// Types that hold pairs of key and element.
  static let keyed: Set<String> = ["Dictionary", "OrderedDictionary"]

  /// Operators whose results lead to no further key.
  static let opaqueOperators: Set<String> = [
    "==", "!=", "===", "!==", "<", "<=", ">", ">=", "~=", "&&", "||", "...", "..<",
  ]

  /// Operators that don't read an object operand's properties.
  static let harmlessOperators: Set<String> = ["===", "!==", "??", "&&", "||", ",", "&=", "="]

  /// Types with initialisers that take an object without reading its properties.
  static let harmlessTypes: Set<String> = [
    "ObjectIdentifier", "Unmanaged", "Optional", "Array", "ArraySlice", "ContiguousArray",
    "CollectionOfOne", "AnyObject",
  ]

  /// Element-wise methods, with the positions of the closure's parameters that are elements.
  static let elementMethods: [String: [Int]] = [
    "map": [0], "compactMap": [0], "flatMap": [0], "filter": [0], "forEach": [0], "contains": [0],
    "first": [0], "last": [0], "firstIndex": [0], "lastIndex": [0], "allSatisfy": [0], "drop": [0],
    "prefix": [0], "suffix": [0], "sorted": [0, 1], "sort": [0, 1], "min": [0, 1], "max": [0, 1],
    "minAndMax": [0, 1], "reduce": [1], "reductions": [1], "count": [0], "sum": [0],
    "partition": [0], "stablePartition": [0], "partitioned": [0], "partitioningIndex": [0],
    "split": [0], "trimmingPrefix": [0], "trimming": [0], "trimmingSuffix": [0],
    "elementsEqual": [0, 1], "starts": [0, 1], "ends": [0, 1], "lexicographicallyPrecedes": [0, 1],
    "difference": [0, 1], "removeAll": [0], "indices": [0], "subranges": [0], "firstNonNil": [0],
    "grouped": [0], "keyed": [0], "chunked": [0, 1], "uniqued": [0], "mapValues": [0],
    "compactMapValues": [0], "average": [0], "onEach": [0], "firstRange": [0], "each": [0],
    "withUnsafeBufferPointer": [0], "withContiguousStorageIfAvailable": [0], "withSpan": [0],
  ]

  /// Methods that return elements of the collection, or a collection of them.
  static let elementPreserving: Set<String> = [
    "filter", "first", "last", "drop", "prefix", "sorted", "min", "max", "minAndMax", "dropFirst",
    "dropLast", "suffix", "reversed", "shuffled", "randomElement", "enumerated", "popFirst",
    "popLast", "removeFirst", "removeLast", "makeIterator", "next", "union", "intersection",
    "subtracting", "symmetricDifference", "uniqued", "trimmingPrefix", "trimming",
    "trimmingSuffix", "split", "joined", "lazy", "remove", "appending", "merging", "compacted",
    "chunked", "chunks", "windows", "adjacentPairs", "combinations", "permutations", "cycled",
    "striding", "interspersed", "randomSample", "randomStableSample", "partitioned", "take",
    "removingDuplicates",
  ]

  /// How often the result of such a method takes an element of the collection.
  static func levels(of name: String) -> Int {
    if oneElement.contains(name) { return 1 }
    return nesting.contains(name) ? -1 : 0
  }

  private static let oneElement: Set<String> = [
    "first", "last", "min", "max", "minAndMax", "randomElement", "popFirst", "popLast",
    "removeFirst", "removeLast", "remove", "next", "joined", "adjacentPairs",
  ]

  /// Methods that return a collection of collections.
  private static let nesting: Set<String> = [
    "split", "chunked", "chunks", "windows", "combinations", "permutations", "partitioned",
  ]

  /// Methods that add their arguments' elements to the result.
  static let elementJoining: Set<String> = [
    "union", "symmetricDifference", "appending", "merging", "interspersed",
  ]

  /// Methods that return their closure's result for an element.
  static let elementMapping: Set<String> = [
    "map", "compactMap", "flatMap", "reduce", "firstNonNil", "mapValues", "compactMapValues",
    "withUnsafeBufferPointer", "withContiguousStorageIfAvailable",
  ]

  /// Methods that group the elements by their closure's result.
  static let elementGrouping: Set<String> = ["grouped", "keyed"]

  /// Properties of a collection that return its elements.
  static let elementProperties: Set<String> = ["first", "last", "lazy", "values"]

  /// Properties of a collection that depend only on its membership.
  static let membershipProperties: Set<String> = [
    "count", "isEmpty", "indices", "startIndex", "endIndex", "hashValue", "description", "keys",
    "underestimatedCount", "capacity", "debugDescription",
  ]

  /// Whether the standard library's collections have a method of that name.
  static func isOfCollections(_ name: String) -> Bool {
    elementMethods[name] != nil || elementPreserving.contains(name)
      || harmlessMethods.contains(name) || collectionMethods.contains(name)
  }

  private static let collectionMethods: Set<String> = [
    "isSubset", "isSuperset", "isStrictSubset", "isStrictSuperset", "isDisjoint", "distance",
    "formIndex", "elementsEqual", "makeIterator", "formatted", "hash", "swapAt", "subrange",
  ]

  /// Methods that return a value which changes without notice.
  static let lockMethods: Set<String> = [
    "withLock", "withLockUnchecked", "withLockIfAvailable", "withCriticalRegion",
    "withLockedValue",
  ]

  /// The names under which types provide a shared object.
  static func isSingleton(_ name: String) -> Bool {
    ["current", "instance", "singleton"].contains(name)
      || name == "shared" || name.suffix(after: "shared") != nil
  }
}
