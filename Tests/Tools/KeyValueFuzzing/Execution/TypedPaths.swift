import KeyValueObserving

/// The ways to register by one typed key path.
struct TypedPath {
  typealias Observe<Answer> = (
    FuzzNode, KeyValueObservingOptions, String, @escaping (Occurrence) -> Answer
  ) -> KeyValueObservation

  /// Registers by a literal, as in Foundation; the others register by a bound path.
  let observe: Observe<Void>
  let until: Observe<Bool>
  let observeFor:
    (
      KeyValueObserverController<FuzzOwner>, FuzzNode, KeyValueObservingOptions, String,
      @escaping (Occurrence) -> Void
    ) -> Void
}

/// Registrations by typed key paths, keyed by the paths' strings.
enum TypedPaths {
  private static func path<Value>(
    _ literal:
      @autoclosure @escaping () -> KeyPath<
        KeyValuePath<FuzzNode, FuzzNode>, KeyValuePath<FuzzNode, Value>
      >,
    _ bound: @escaping (FuzzNode) -> KeyValueBoundPath<FuzzNode, Value>
  ) -> TypedPath {
    TypedPath(
      observe: { object, options, who, report in
        object.observe(literal(), options: options) { object, change in
          report(change.told(who, object))
        }
      },
      until: { object, options, who, report in
        bound(object).observe(
          options: options, until: { object, change in report(change.told(who, object)) })
      },
      observeFor: { controller, object, options, who, report in
        controller.observe(bound(object), options: options) { _, object, change in
          report(change.told(who, object))
        }
      })
  }

  nonisolated(unsafe) static let table: [String: TypedPath] = [
    "number": path(\.number) { $0.kvo.number },
    "text": path(\.text) { $0.kvo.text },
    "width": path(\.width) { $0.kvo.width },
    "rack": path(\.rack) { $0.kvo.rack },
    "flags": path(\.flags) { $0.kvo.flags },
    "next.width": path(\.next.width) { $0.kvo.next.width },
    "text._": path(\.text.count) { $0.kvo.text.count },
    "note": path(\.note) { $0.kvo.note },
    "next": path(\.next) { $0.kvo.next },
    "peer": path(\.peer) { $0.kvo.peer },
    "items": path(\.items) { $0.kvo.items },
    "group": path(\.group) { $0.kvo.group },
    "values": path(\.values) { $0.kvo[\.values] },
    "marks": path(\.marks) { $0.kvo.marks },
    "manual": path(\.manual) { $0.kvo.manual },
    "shelf": path(\.shelf) { $0.kvo.shelf },
    "link": path(\.link) { $0.kvo.link },
    "link.number": path(\.link.number) { $0.kvo.link.number },
    "staff": path(\.staff) { $0.kvo.staff },
    "label": path(\.label) { $0.kvo.label },
    "caption": path(\.caption) { $0.kvo.caption },
    "reach": path(\.reach) { $0.kvo.reach },
    "nearest": path(\.nearest) { $0.kvo.nearest },
    "total": path(\.total) { $0.kvo.total },
    "load": path(\.load) { $0.kvo.load },
    "wealth": path(\.wealth) { $0.kvo.wealth },
    "pong": path(\.pong) { $0.kvo.pong },
    "filed": path(\.filed) { $0.kvo.filed },
    "lonely": path(\.lonely) { $0.kvo.lonely },
    "folder": path(\.folder) { $0.kvo.folder },
    "tag": path(\.tag) { $0.kvo.tag },
    "tags": path(\.tags) { $0.kvo.tags },
    "seals": path(\.seals) { $0.kvo.seals },
    "slips": path(\.slips) { $0.kvo.slips },
    "coin": path(\.coin) { $0.kvo.coin },
    "coins": path(\.coins) { $0.kvo.coins },
    "purse": path(\.purse) { $0.kvo.purse },
    "coins.face": path(\.coins[each: \.face]) { $0.kvo.coins[each: \.face] },
    "coins.@sum.face": path(\.coins[sum: \.face]) { $0.kvo.coins[sum: \.face] },
    "purse.@max.face": path(\.purse[maximum: \.face]) { $0.kvo.purse[maximum: \.face] },
    "wishes": path(\.wishes) { $0.kvo.wishes },
    "crew": path(\.crew) { $0.kvo.crew },
    "signs": path(\.signs) { $0.kvo.signs },
    "muster": path(\.muster) { $0.kvo.muster },
    "pulse": path(\.pulse) { $0.kvo.pulse },
    "phase": path(\.phase) { $0.kvo.phase },
    "rhythm": path(\.rhythm) { $0.kvo.rhythm },
    "beat": path(\.beat) { $0.kvo.beat },
    "next.beat": path(\.next.beat) { $0.kvo.next.beat },
    "index": path(\.index) { $0.kvo.index },
    "next.number": path(\.next.number) { $0.kvo.next.number },
    "next.next.text": path(\.next.next.text) { $0.kvo.next.next.text },
    "next.peer.number": path(\.next.peer.number) { $0.kvo.next.peer.number },
    "next.items": path(\.next.items) { $0.kvo.next.items },
    "next.label": path(\.next.label) { $0.kvo.next.label },
    "peer.number": path(\.peer.number) { $0.kvo.peer.number },
    "peer.caption": path(\.peer.caption) { $0.kvo.peer.caption },
    "nearest.number": path(\.nearest.number) { $0.kvo.nearest.number },
    "items.@count": path(\.items.count) { $0.kvo.items.count },
    "values.@count": path(\.values.count) { $0.kvo[\.values].count },
    "items.number": path(\.items[each: \.number]) { $0.kvo.items[each: \.number] },
    "items.next.number": path(\.items[each: \.next.number]) { $0.kvo.items[each: \.next.number] },
    "items.@sum.number": path(\.items[sum: \.number]) { $0.kvo.items[sum: \.number] },
    "items.@sum.reach": path(\.items[sum: \.reach]) { $0.kvo.items[sum: \.reach] },
    "items.@avg.number": path(\.items[average: \.number]) { $0.kvo.items[average: \.number] },
    "items.@min.number": path(\.items[minimum: \.number]) { $0.kvo.items[minimum: \.number] },
    "items.@max.number": path(\.items[maximum: \.number]) { $0.kvo.items[maximum: \.number] },
    "items.@max.text": path(\.items[maximum: \.text]) { $0.kvo.items[maximum: \.text] },
    "group.@sum.number": path(\.group[sum: \.number]) { $0.kvo.group[sum: \.number] },
    "group.@max.number": path(\.group[maximum: \.number]) { $0.kvo.group[maximum: \.number] },
    "staff.@sum.number": path(\.staff[sum: \.number]) { $0.kvo.staff[sum: \.number] },
    "next.items.@sum.number": path(\.next.items[sum: \.number]) {
      $0.kvo.next.items[sum: \.number]
    },
  ]
}
