import FoundationKVO

func register(_ change: [NSKeyValueChangeKey: Any]?, _ values: [Any]) -> Bool {
  let new = change?[.newKey] as? Foundation.NSObject
  let old = change?[.oldKey] as? Foundation.NSObject
  let all = values as! [Foundation.NSObject]
  switch values.first {
  case let object as Foundation.NSObject: print(object)
  default: break
  }
  return new != old && all.count == values.compactMap { $0 as? Foundation.NSObject }.count && old is Foundation.NSObject
}
