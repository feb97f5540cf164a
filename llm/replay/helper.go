package replay

import (
	"atelier/llm/openai"
)

// TB is what Client needs of a testing.TB.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Client returns the scripted client of tests (L-12): the real client of llm/openai
// on a server that plays fixture until the test ends.
func Client(t TB, fixture string) (*openai.Client, *Server) {
	t.Helper()
	f, err := Parse([]byte(fixture))
	if err != nil {
		t.Fatalf("%v", err)
		return nil, nil
	}
	s, err := NewServer(f, Options{})
	if err != nil {
		t.Fatalf("%v", err)
		return nil, nil
	}
	t.Cleanup(s.Close)
	return openai.New(openai.Options{BaseURL: s.URL}), s
}
