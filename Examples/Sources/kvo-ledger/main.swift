import KvoLedgerCommand

LedgerCommand.main()
