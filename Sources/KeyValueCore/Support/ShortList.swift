/// A list that nearly always has one element, which needs no array.
struct ShortList<Element>: RandomAccessCollection, MutableCollection {
  private var head: Element?
  private var tail: [Element] = []

  var startIndex: Int { 0 }
  var endIndex: Int { head == nil ? 0 : 1 + tail.count }

  subscript(index: Int) -> Element {
    get { index == 0 ? head! : tail[index - 1] }
    set { if index == 0 { head = newValue } else { tail[index - 1] = newValue } }
  }

  mutating func append(_ element: Element) {
    if head == nil { head = element } else { tail.append(element) }
  }

  mutating func removeAll(where isMeant: (Element) -> Bool) {
    if head.map(isMeant) == true { head = nil }
    if tail.isEmpty { return }
    tail.removeAll(where: isMeant)
    if head == nil, !tail.isEmpty { head = tail.removeFirst() }
  }
}
