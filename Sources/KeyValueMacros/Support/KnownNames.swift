/// Names of the standard library that inference knows the meaning of.
enum KnownNames {
  /// Functions that read no more than their arguments.
  static let functions: Set<String> = [
    "abs", "max", "min", "print", "debugPrint", "dump", "zip", "type", "stride", "repeatElement",
    "sequence", "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError",
    "swap", "numericCast", "unsafeBitCast", "unsafeDowncast", "withExtendedLifetime",
    "isKnownUniquelyReferenced", "withUnsafePointer", "withUnsafeBytes", "readLine", "pow", "sqrt",
    "cbrt", "exp", "exp2", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
    "atan", "atan2", "sinh", "cosh", "tanh", "hypot", "floor", "ceil", "round", "trunc", "fmod",
    "fabs", "fmin", "fmax", "copysign", "remainder", "lround",
    "extractIsolation", "withoutActuallyEscaping", "autoreleasepool", "pthread_self", "time",
  ]

  /// Functions and initialisers that give what they are handed, or a collection of it.
  static let passing: Set<String> = [
    "max", "min", "zip", "Array", "ArraySlice", "ContiguousArray", "Set", "OrderedSet",
    "AnySequence", "AnyCollection",
  ]

  /// Operators whose result is nothing that keys lead on from.
  static let opaqueOperators: Set<String> = [
    "==", "!=", "===", "!==", "<", "<=", ">", ">=", "~=", "&&", "||", "...", "..<",
  ]

  /// Types whose initialiser takes an object without reading its properties.
  static let harmlessTypes: Set<String> = ["ObjectIdentifier", "Unmanaged", "Optional"]

  /// Element-wise methods, with the positions of the closure's parameters that are elements.
  static let elementMethods: [String: [Int]] = [
    "map": [0], "compactMap": [0], "flatMap": [0], "filter": [0], "forEach": [0], "contains": [0],
    "first": [0], "last": [0], "firstIndex": [0], "lastIndex": [0], "allSatisfy": [0], "drop": [0],
    "prefix": [0], "sorted": [0, 1], "sort": [0, 1], "min": [0, 1], "max": [0, 1], "reduce": [1],
    "count": [0], "sum": [0], "partition": [0], "split": [0], "trimmingPrefix": [0],
    "elementsEqual": [0], "starts": [0], "removeAll": [0], "grouped": [0], "chunked": [0, 1],
    "uniqued": [0], "mapValues": [0], "compactMapValues": [0], "average": [0],
  ]

  /// Methods that give elements of the collection, or a collection of them.
  static let elementPreserving: Set<String> = [
    "filter", "first", "last", "drop", "prefix", "sorted", "min", "max", "dropFirst", "dropLast",
    "suffix", "reversed", "shuffled", "randomElement", "enumerated", "popFirst", "popLast",
    "removeFirst", "removeLast", "makeIterator", "next", "union", "intersection", "subtracting",
    "symmetricDifference", "uniqued", "trimmingPrefix", "split", "joined", "lazy",
  ]

  /// Methods whose result is what their closure gives for an element.
  static let elementMapping: Set<String> = ["map", "compactMap", "flatMap"]

  /// Properties of a collection that give its elements.
  static let elementProperties: Set<String> = ["first", "last", "lazy", "values"]

  /// Properties of a collection that say something of its membership alone.
  static let membershipProperties: Set<String> = [
    "count", "isEmpty", "indices", "startIndex", "endIndex", "hashValue", "description", "keys",
    "underestimatedCount", "capacity", "debugDescription",
  ]
}
