import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class OrderCustomer {
  var name = ""
}

@KeyValueObservable
private final class CustomerOrder {
  let customer: OrderCustomer?
  var total = 0

  required init() { customer = nil }
  init(for customer: OrderCustomer) { self.customer = customer }
}

@KeyValueObservable
private final class OrderStore {
  var orders: [CustomerOrder] = []
  var customers: [OrderCustomer] = []
}

@KeyValueObservable
private final class GridCell {
  var text = ""
}

@KeyValueObservable
private final class CellGrid {
  let cells: [GridCell]

  required init() { cells = [GridCell()] }
  init(count: Int) { cells = (0..<count).map { _ in GridCell() } }
}

@KeyValueObservable
private final class CellSlot {
  let cell: GridCell?

  required init() { cell = GridCell() }
  init(holding cell: GridCell?) { self.cell = cell }
}

@KeyValueObservable
private class FramedFigure {
  var size = 1

  required init() {}
}

@KeyValueObservable
private final class RoundFigure: FramedFigure {
  var radius = 1
}

@KeyValueObservable
private final class FigureFrame {
  let figure: FramedFigure

  required init() { figure = FramedFigure() }
  init(around figure: FramedFigure) { self.figure = figure }
}

@KeyValueObservable
private final class BilledItem: Codable {
  var name = ""

  required init() {}
}

@KeyValueObservable
private final class ItemBill: Codable {
  let item: BilledItem?
  var total = 0

  required init() { item = nil }
  init(for item: BilledItem) { self.item = item }
}

/// Its `init()` makes an item of its own.
@KeyValueObservable
private final class ItemLabel: Codable {
  let item: BilledItem
  var text = ""

  required init() { item = BilledItem() }
  init(of item: BilledItem) { self.item = item }
}

@KeyValueObservable
private final class BillStore {
  var bills: [ItemBill] = []
  var items: [BilledItem] = []
  var labels: [ItemLabel] = []
}

@Suite("G. Constants that refer to objects, and are made with others than the recorded ones")
struct ConstantRelationTests {
  private func error(_ body: () throws -> Void) -> String? {
    #expect(throws: KeyValueLogError.self, performing: body).map { "\($0)" }
  }

  @Test("G4 a constant that init() makes nil, where an object is recorded, is an error")
  func madeNil() throws {
    let (store, ada) = (OrderStore(), OrderCustomer())
    ada.name = "Ada"
    store.customers = [ada]
    store.orders = [CustomerOrder(for: ada)]
    let log = try KeyValueChangeLog(of: store)
    let (id, snapshot) = (try #require(log.id(of: store.orders[0])), try log.snapshot())
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: OrderStore.self) }
        == "CustomerOrder.customer can't be edited so (object \(id)): the constant was made without the object "
        + "that it refers to. Name the class in `classes`, with a closure that takes it from the values, as in "
        + "$0.value(\"customer\").")
    let order = KeyValueLogClass(CustomerOrder.self) {
      CustomerOrder(for: try $0.value("customer"))
    }
    let copy = try KeyValueChangeLog(restoring: snapshot, as: OrderStore.self, classes: [order])
    #expect(copy.root.orders[0].customer === copy.root.customers[0])
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("G4 so it is in a record, which then changes nothing") func madeNilByRecord() throws {
    let store = OrderStore()
    let log = try KeyValueChangeLog(of: store)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: OrderStore.self)
    let before = try copy.snapshot()
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    // Only the constant leads to the customer.
    store.orders.append(CustomerOrder(for: OrderCustomer()))
    let refusal = error { try copy.apply(records[0]) }
    #expect(refusal?.contains("the constant was made without the object") == true)
    #expect(try copy.snapshot() == before && copy.root.orders.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test("G4 a constant list that init() makes shorter is an error") func shorter() throws {
    let grid = CellGrid(count: 3)
    for (index, cell) in grid.cells.enumerated() { cell.text = "\(index)" }
    let snapshot = try KeyValueChangeLog(of: grid).snapshot()
    let refusal = error { _ = try KeyValueChangeLog(restoring: snapshot, as: CellGrid.self) }
    #expect(
      refusal?.hasPrefix(
        "CellGrid.cells can't be edited so (object \(snapshot.root)): the constant was made with other objects than "
          + "the ones it refers to.") == true)
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: CellGrid.self,
      classes: [KeyValueLogClass(CellGrid.self) { _ in CellGrid(count: 3) }])
    #expect(copy.root.cells.map(\.text) == ["0", "1", "2"])
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("G4 a constant that init() makes with an object, where nil is recorded, is an error")
  func madeWithObject() throws {
    let snapshot = try KeyValueChangeLog(of: CellSlot(holding: nil)).snapshot()
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: CellSlot.self) }
        == "CellSlot.cell can't be edited so (object \(snapshot.root)): the constant was made with an object, not "
        + "with nil. Name the class in `classes`, with a closure that takes it from the values, as in "
        + "$0.value(\"cell\").")
  }

  @Test("G4 a constant that init() makes with an object of another class is an error")
  func otherClass() throws {
    let round = KeyValueLogClass(RoundFigure.self)
    let log = try KeyValueChangeLog(of: FigureFrame(around: RoundFigure()), classes: [round])
    let snapshot = try log.snapshot()
    let refusal = error {
      _ = try KeyValueChangeLog(restoring: snapshot, as: FigureFrame.self, classes: [round])
    }
    #expect(
      refusal
        == "FigureFrame.figure can't be edited so (object \(snapshot.root)): the constant was made with another "
        + "object than the one it refers to. Take that one from the values, as in $0.value(\"figure\")."
    )
  }

  @Test("G3 such an object is made by init(from:), if there is one") func decoded() throws {
    let store = BillStore()
    let (pen, pad) = (BilledItem(), BilledItem())
    (pen.name, pad.name) = ("pen", "pad")
    store.items = [pen]
    store.bills = [ItemBill(for: pen), ItemBill(for: pad), ItemBill()]
    let log = try KeyValueChangeLog(of: store)
    let snapshot = try KeyValueSnapshot(json: log.snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: BillStore.self)
    let bills = copy.root.bills
    #expect(bills[0].item === copy.root.items[0] && bills[1].item?.name == "pad")
    #expect(bills[2].item == nil)
    #expect(try copy.snapshot() == snapshot)
    let link = log.observe { record in #expect(throws: Never.self) { try copy.apply(record) } }
    store.bills.append(ItemBill(for: pen))
    store.performChanges { store in
      let ink = BilledItem()
      store.bills.append(ItemBill(for: ink))
      store.items.append(ink)
    }
    #expect(copy.root.bills[3].item === copy.root.items[0])
    #expect(copy.root.bills[4].item === copy.root.items[1])
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(link) {}
  }

  @Test("G3 so is one that shares the constant's object with another one") func shared() throws {
    let (store, pen) = (BillStore(), BilledItem())
    pen.name = "pen"
    store.labels = [ItemLabel(of: pen), ItemLabel(of: pen)]
    let snapshot = try KeyValueChangeLog(of: store).snapshot()
    let copy = try KeyValueChangeLog(restoring: snapshot, as: BillStore.self)
    let labels = copy.root.labels
    #expect(labels[0].item === labels[1].item && labels[0].item.name == "pen")
    #expect(try copy.snapshot() == snapshot)
  }
}
