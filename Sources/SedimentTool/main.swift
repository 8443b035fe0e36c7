internal import SedimentCommands

Tool.main()
