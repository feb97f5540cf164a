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
			list, err := plansOf(ctx, env, a.Status)
			if err != nil {
				return nil, err
			}
			slices.SortStableFunc(list, func(x, y Listed) int {
				return cmp.Or(-when(x).Compare(when(y)), cmp.Compare(x.Path, y.Path))
			})
			out := Plans{Plans: list, Total: len(list)}
			if a.Limit > 0 {
				out.Plans = out.Plans[:min(a.Limit, out.Total)]
			}
			return out, nil
		})
}

// plansOf returns the plans with a status, "" for all.
func plansOf(ctx context.Context, env *tools.Env, status string) (out []Listed, err error) {
	es, err := env.View.List(ctx, files.PlanDir, workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil && !workshop.IsFault(err, workshop.NotFound) && !workshop.IsFault(err, workshop.Invalid) { // no such folder
		return nil, err
	}
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
		if status == "" || m != nil && m.Status == status {
			out = append(out, Listed{e.Path, nameOf(e.Path), m})
		}
	}
	return out, nil
}

func when(l Listed) time.Time {
	if l.Metadata == nil {
		return time.Time{}
	}
	return l.Metadata.created()
}
