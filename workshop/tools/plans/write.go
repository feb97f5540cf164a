package plans

import (
	"context"
	"io"
	"strings"
	"time"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/marks"
)

// WriteArgs are the arguments of plan_write.
type WriteArgs struct {
	Title, Content string
	Path           workshop.Path // "" makes a name up
	Status         string        // "" is draft
}

// Written is the result of plan_write.
type Written struct {
	Entry    workshop.Entry
	Metadata Metadata
}

// Write creates a plan, or replaces one at the given path, whose date stays.
func Write() *tools.Tool { return writeNamed(randomName, time.Now) }

// attempts is how often a name is made up before giving up.
const attempts = 5

func writeNamed(name func() string, now func() time.Time) *tools.Tool {
	return tools.New("plan_write", "Create or replace a plan.", tools.Write,
		func(ctx context.Context, env *tools.Env, a WriteArgs) (any, error) {
			if strings.TrimSpace(a.Title) == "" {
				return nil, workshop.Faultf(workshop.Invalid, "Title cannot be empty").OnField("title")
			}
			if a.Status == "" {
				a.Status = Statuses[0]
			}
			if err := checkStatus(a.Status); err != nil {
				return nil, err
			}
			if err := marks.Refuse(a.Content, "", "content", ""); err != nil {
				return nil, err
			}
			w := Written{Metadata: Metadata{a.Title, a.Status, now().UTC().Format(time.RFC3339Nano)}}
			if a.Path != "" {
				return w, w.put(ctx, env, place(a.Path), a.Content)
			}
			for range attempts {
				p := place(workshop.Path(name()))
				text, err := render(w.Metadata, a.Content)
				if err != nil {
					return nil, err
				}
				w.Entry, err = env.View.Put(ctx, p, workshop.PutOptions{CreateOnly: true, Type: files.PlanType}, write(text))
				if !workshop.IsFault(err, workshop.Conflict) {
					return w, err
				}
			}
			return nil, workshop.Faultf(workshop.Invalid, "No free name for the plan was found in %d attempts; give a path of your own", attempts).OnField("path")
		}).GuardsItself()
}

// put writes the plan at a path, over what may be there.
func (w *Written) put(ctx context.Context, env *tools.Env, p workshop.Path, body string) error {
	e, there, err := files.LookUp(ctx, env, p)
	switch {
	case err != nil:
		return err
	case e.IsDir:
		return workshop.Faultf(workshop.Invalid, "Cannot write a plan to a folder path: /%s", p).OnField("path")
	}
	if err := files.GuardContent(env, p, e, there); err != nil {
		return err
	}
	if there {
		if w.Metadata.CreatedAt, err = createdAt(ctx, env, p, e); err != nil {
			return err
		}
	}
	text, err := render(w.Metadata, body)
	if err != nil {
		return err
	}
	w.Entry, err = env.View.Put(ctx, p, workshop.PutOptions{Type: files.PlanType}, write(text))
	return err
}

// createdAt returns the date of a plan that is there, or of the file when its front
// matter has none (B17-05).
func createdAt(ctx context.Context, env *tools.Env, p workshop.Path, e workshop.Entry) (string, error) {
	m, err := metadata(ctx, env, p)
	switch {
	case err != nil:
		return "", err
	case m != nil:
		return m.CreatedAt, nil
	}
	return e.CreatedAt().UTC().Format(time.RFC3339Nano), nil
}

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}
