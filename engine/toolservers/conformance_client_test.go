package toolservers

// conformanceMode makes the test binary the client of the conformance suite.
const conformanceMode = "TOOLSERVERS_TEST_CONFORMANCE"

func conformanceClient() int { return 0 }
