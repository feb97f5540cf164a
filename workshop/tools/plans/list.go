package plans

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// ListArgs are the arguments of plan_list.
type ListArgs struct {
	Status string // "" is any
	Limit  int    // 0 is all
}

// Listed is one plan of a list.
type Listed struct {
	Path     workshop.Path
	Name     string
	Metadata *Metadata
}

// Plans is the result of plan_list: the newest first, plans without metadata
// last.
type Plans struct {
	Plans []Listed
	Total int // before the limit
}

// List lists the plans below /plans/.
func List() *tools.Tool {
	return tools.New("plan_list", "List the plans.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ListArgs) (any, error) {
			if a.Status != "" {
				if err := checkStatus(a.Status); err != nil {
					return nil, err
				}
			}
			es, err := env.View.List(ctx, files.PlanDir, workshop.ListOptions{Recursive: true, NoHash: true})
			if err != nil && !workshop.IsFault(err, workshop.NotFound) && !workshop.IsFault(err, workshop.Invalid) { // no such folder
				return nil, err
			}
			out := Plans{}
			for _, e := range es {
				if e.IsDir || e.Refused != "" || e.Type != files.PlanType || !strings.HasSuffix(string(e.Path), files.PlanExt) {
					continue
				}
				m, err := metadata(ctx, env, e.Path)
				if workshop.IsFault(err, workshop.NotFound) {
					continue // gone while we looked
				}
				if err != nil {
					return nil, err
				}
				if a.Status == "" || m != nil && m.Status == a.Status {
					out.Plans = append(out.Plans, Listed{e.Path, nameOf(e.Path), m})
				}
			}
			slices.SortStableFunc(out.Plans, func(x, y Listed) int {
				return cmp.Or(-when(x).Compare(when(y)), cmp.Compare(x.Path, y.Path))
			})
			out.Total = len(out.Plans)
			if a.Limit > 0 {
				out.Plans = out.Plans[:min(a.Limit, out.Total)]
			}
			return out, nil
		})
}

func when(l Listed) time.Time {
	if l.Metadata == nil {
		return time.Time{}
	}
	return l.Metadata.created()
}
