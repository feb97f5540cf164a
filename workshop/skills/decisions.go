package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/workshop"
)

// setting is where a workbench keeps the decisions.
const setting = "instructions"

// maxDecisions bounds the decisions of a workbench; the oldest are forgotten, so
// that the user is asked again.
const maxDecisions = 200

// Decision is what the user said about instructions that came with a folder.
type Decision struct {
	Path     string    `json:"path"` // of the SKILL.md or AGENTS.md
	Hash     string    `json:"hash"` // of the content
	Approved bool      `json:"approved"`
	At       time.Time `json:"decided_at,omitzero"`
}

// deciding lets one change at a time happen.
var deciding sync.Mutex

// Decisions returns what the user has decided, the oldest first.
func Decisions(ctx context.Context, wb *workshop.Workbench) (list []Decision, err error) {
	text, err := wb.Setting(ctx, setting)
	if err != nil || text == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("what was decided about skills and AGENTS.md cannot be read: %w", err)
	}
	return list, nil
}

// Decide keeps decisions, each in place of an earlier one about the same path.
func Decide(ctx context.Context, wb *workshop.Workbench, list ...Decision) error {
	return change(ctx, wb, func(all []Decision) []Decision {
		for _, d := range list {
			all = append(slices.DeleteFunc(all, func(o Decision) bool { return o.Path == d.Path }), d)
		}
		return all[max(0, len(all)-maxDecisions):]
	})
}

// Forget has the user asked again about a path.
func Forget(ctx context.Context, wb *workshop.Workbench, path string) error {
	return change(ctx, wb, func(all []Decision) []Decision {
		return slices.DeleteFunc(all, func(o Decision) bool { return o.Path == path })
	})
}

func change(ctx context.Context, wb *workshop.Workbench, f func([]Decision) []Decision) error {
	deciding.Lock()
	defer deciding.Unlock()
	all, err := Decisions(ctx, wb)
	if err != nil {
		return err
	}
	b, err := json.Marshal(f(all))
	if err != nil {
		return err
	}
	return wb.SetSetting(ctx, setting, string(b))
}

// decided returns the status of an item of a folder.
func decided(list []Decision, it Item) string {
	for _, d := range list {
		switch {
		case d.Path != it.Path:
		case d.Hash != it.Hash:
			return Changed
		case d.Approved:
			return Used
		default:
			return Declined
		}
	}
	return New
}
