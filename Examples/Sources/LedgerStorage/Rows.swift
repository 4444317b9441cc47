import GRDB
import LedgerModel

// The model's values are the rows: their properties are the columns.

extension CategoryValues: FetchableRecord, PersistableRecord {
  package static var databaseTableName: String { "categories" }
}

extension TransactionValues: FetchableRecord, PersistableRecord {
  package static var databaseTableName: String { "transactions" }
}
