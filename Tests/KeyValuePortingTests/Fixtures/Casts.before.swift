import Foundation

func register(_ change: [NSKeyValueChangeKey: Any]?, _ values: [Any]) -> Bool {
  let new = change?[.newKey] as? NSObject
  let old = change?[.oldKey] as? NSObject
  let all = values as! [NSObject]
  switch values.first {
  case let object as NSObject: print(object)
  default: break
  }
  return new != old && all.count == values.compactMap { $0 as? NSObject }.count && old is NSObject
}
