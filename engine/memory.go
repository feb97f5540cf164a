package engine

import (
	"context"

	"atelier/internal/budget"
	"atelier/workshop"
)

// EngineMemory is the result of EngineGetMemory. Sizes are in bytes.
type EngineMemory struct {
	Limit   int64 `json:"memory_limit"`  // of the process with those that it starts for one call
	Budget  int64 `json:"memory_budget"` // what work and caches share of it
	Work    int64 `json:"work"`
	Cached  int64 `json:"cached"`
	Waiting int   `json:"waiting"`
	Waited  int64 `json:"waited"`
	Most    int64 `json:"most"`
}

func memoryMethods() []*Method {
	return []*Method{
		method("EngineGetMemory", "What the memory of the process is used for, and how much there is.", (*Engine).memory),
	}
}

// whyWaited says of a call whose time is over that it waited for memory, "" if it did not.
func whyWaited(f *workshop.Fault) string {
	if f == nil {
		return ""
	}
	return budget.Why(f.Err)
}

func (*Engine) memory(context.Context, Empty) (EngineMemory, error) {
	s := budget.Process.Stats()
	return EngineMemory{
		Limit: s.Limit + budget.Program, Budget: s.Limit,
		Work: s.Work, Cached: s.Cached, Waiting: s.Waiting, Waited: s.Waited, Most: s.Most,
	}, nil
}
