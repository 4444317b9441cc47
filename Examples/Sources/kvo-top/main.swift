import KvoTopCommand

TopCommand.main()
