package tools

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/internal/lenient"
	"atelier/workshop"
)

type recallArgs struct {
	EntryID lenient.Int  `json:"entry_id" jsonschema:"Number of the result, as the shortened result named it"`
	Offset  *lenient.Int `json:"offset,omitempty" jsonschema:"First character, 0-based, default 0"`
	Limit   *lenient.Int `json:"limit,omitempty" jsonschema:"Number of characters"`
}

const recallName = "recall_tool_result"

// RecallToolResult pages through a result that Call shortened (W-18).
func RecallToolResult() *Tool {
	return New(recallName, "Read on in a tool result that was shortened.", Read,
		func(ctx context.Context, env *Env, a recallArgs) (any, error) {
			if env.Recall == nil {
				return nil, workshop.Unknownf("there is no log of tool results here")
			}
			full, err := env.Recall(ctx, int64(a.EntryID))
			if err != nil {
				return nil, err
			}
			return page([]rune(full), a, env.Room())
		})
}

// page cuts one page out of a result and says where the next begins.
func page(all []rune, a recallArgs, room formats.TextLimit) (any, error) {
	from := 0
	if a.Offset != nil {
		from = int(*a.Offset)
	}
	if from < 0 || from > len(all) {
		return nil, workshop.Faultf(workshop.Invalid, "offset must be from 0 to %d", len(all)).OnField("offset")
	}
	count := len(all) - from
	if a.Limit != nil {
		if *a.Limit < 1 {
			return nil, workshop.Faultf(workshop.Invalid, "limit must be 1 or more").OnField("limit")
		}
		count = min(count, int(*a.Limit))
	}
	text := string(all[from : from+count])
	if from+count == len(all) && len(text) <= room.Whole {
		return text, nil
	}
	return pageOf(room, text, from, len(all), func(offset int) string { return fmt.Sprintf("offset=%d", offset) }), nil
}
