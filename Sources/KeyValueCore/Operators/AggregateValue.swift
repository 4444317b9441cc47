/// A maintained operator's value; the usual types need no box.
enum AggregateValue {
  case integer(Int)
  case double(Double)
  case other(Any?)

  var any: Any? {
    switch self {
    case .integer(let value): value
    case .double(let value): value
    case .other(let value): value
    }
  }
}
