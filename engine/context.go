package engine

import (
	"cmp"
	"context"
	"path"
	"strings"

	"atelier/internal/textclip"
	"atelier/workshop"
)

// ContextParams name an item of the standing context.
type ContextParams struct {
	WorkbenchID string `json:"workbench_id"`
	Category    string `json:"category"` // company-context, department-context, situation, document-style, or the name of another file without .md
}

// ContextUpdateParams are the params of ContextUpdateDirect.
type ContextUpdateParams struct {
	WorkbenchID string        `json:"workbench_id"`
	Category    string        `json:"category"`
	Files       []ContextFile `json:"files"` // each is written whole; the others of the category stay
}

// ContextFile is a file of .atelier/context.
type ContextFile struct {
	Path    string `json:"path"`              // its name, such as company.md; "" in ContextUpdateDirect is the one there is, or a new one
	Content string `json:"content,omitempty"` // at most 1 MiB of it; ContextList leaves it out
}

// ContextItem is what the model is told in every conversation of one category.
type ContextItem struct {
	Category       string        `json:"category"`
	Status         string        `json:"status"`           // "ready", "empty", or "unreadable" for links, devices and the like
	Summary        string        `json:"summary"`          // its first line with words
	HasDirectEdits bool          `json:"has_direct_edits"` // a person wrote it; always, where there is anything
	UpdatedAt      string        `json:"updated_at,omitempty"`
	Files          []ContextFile `json:"files"`
}

// ContextListResult is the result of ContextList.
type ContextListResult struct {
	Items []ContextItem `json:"items"`
}

// ContextItemResult is the result of ContextGet and ContextUpdateDirect.
type ContextItemResult struct {
	Item ContextItem `json:"item"`
}

// ContextChanged says that a client wrote or removed standing context through
// the engine.
type ContextChanged struct {
	WorkbenchID string `json:"workbench_id"`
	Category    string `json:"category"`
	Action      string `json:"action"` // "updated" or "deleted"
}

func contextMethods() []*Method {
	return []*Method{
		method("ContextList", "What the model is told in every conversation, by category, in the order in which it is told; the four common categories are there when they are empty too.", (*Engine).contextList),
		method("ContextGet", "One category of the standing context with its text.", (*Engine).contextGet),
		method("ContextUpdateDirect", "Writes files of a category, in .atelier/context of the folder; at once, not into the draft.", (*Engine).contextUpdate),
		method("ContextDelete", "Removes the files of a category.", (*Engine).contextDelete),
	}
}

// contextSlots are the common categories with the name of a new file.
var contextSlots = []struct{ category, stem string }{
	{"company-context", "company"}, {"department-context", "department"}, {"situation", "situation"}, {"document-style", "document-style"},
}

// categoryOf returns the category of a file of the standing context.
func categoryOf(name string) string {
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	for _, s := range contextSlots {
		if stem == s.stem {
			return s.category
		}
	}
	return stem
}

// newContextName returns the name of the first file of a category.
func newContextName(category string) string {
	for _, s := range contextSlots {
		if category == s.category {
			return s.stem + ".md"
		}
	}
	return category + ".md"
}

// contextItems returns the items in the order in which they are told. An item of a
// common category is there when it is empty too.
func contextItems(ctx context.Context, wb *openWorkbench) ([]ContextItem, error) {
	files, err := wb.Standing(ctx)
	if err != nil {
		return nil, err
	}
	items := []ContextItem{}
	at := map[string]int{}
	add := func(category string) *ContextItem {
		i, ok := at[category]
		if !ok {
			i = len(items)
			at[category], items = i, append(items, ContextItem{Category: category, Status: "empty", Files: []ContextFile{}})
		}
		return &items[i]
	}
	for _, s := range contextSlots {
		add(s.category)
	}
	for _, f := range files {
		it := add(categoryOf(f.Name))
		it.Files = append(it.Files, ContextFile{Path: f.Name, Content: f.Text})
		it.HasDirectEdits = true
		it.Summary = cmp.Or(it.Summary, firstWords(f.Text))
		switch {
		case f.Refused != "":
			it.Status = "unreadable"
			continue
		case it.Status == "empty":
			it.Status = "ready"
		}
		it.UpdatedAt = max(it.UpdatedAt, rfc3339(f.Modified))
	}
	return items, nil
}

// firstWords returns the first line with words, cut.
func firstWords(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "#*-> \t\r\n"); line != "" {
			return textclip.Head(line, 120)
		}
	}
	return ""
}

func (e *Engine) contextList(ctx context.Context, p WorkbenchRef) (ContextListResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ContextListResult{}, err
	}
	defer done()
	items, err := contextItems(ctx, wb)
	for i := range items {
		for j := range items[i].Files {
			items[i].Files[j].Content = ""
		}
	}
	return ContextListResult{Items: items}, err
}

func (e *Engine) contextGet(ctx context.Context, p ContextParams) (ContextItemResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ContextItemResult{}, err
	}
	defer done()
	return contextItem(ctx, wb, p.Category)
}

func contextItem(ctx context.Context, wb *openWorkbench, category string) (ContextItemResult, error) {
	if category == "" {
		return ContextItemResult{}, validation("category is required")
	}
	items, err := contextItems(ctx, wb)
	if err != nil {
		return ContextItemResult{}, err
	}
	for _, it := range items {
		if it.Category == strings.ToLower(category) {
			return ContextItemResult{Item: it}, nil
		}
	}
	return ContextItemResult{}, workshop.Unknownf("there is no standing context of the category %q", category).OnField("category")
}

func (e *Engine) contextUpdate(ctx context.Context, p ContextUpdateParams) (ContextItemResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return ContextItemResult{}, err
	}
	category := strings.ToLower(p.Category)
	switch {
	case category == "":
		return ContextItemResult{}, validation("category is required")
	case len(p.Files) == 0:
		return ContextItemResult{}, validation("files is required")
	}
	first := newContextName(category)
	if it, err := contextItem(ctx, wb, category); err == nil && len(it.Item.Files) > 0 {
		first = it.Item.Files[0].Path
	}
	for i := range p.Files {
		f := &p.Files[i]
		f.Path = cmp.Or(f.Path, first)
		if err := workshop.CheckStanding(f.Path, f.Content); err != nil {
			return ContextItemResult{}, err
		}
		if categoryOf(f.Path) != category {
			return ContextItemResult{}, validation(f.Path + " is no file of the category " + category + "; leave path out, or call it " + newContextName(category))
		}
	}
	for _, f := range p.Files {
		if err := wb.SetStanding(ctx, f.Path, f.Content); err != nil {
			return ContextItemResult{}, err
		}
	}
	e.contextChanged(ctx, wb, category, "updated")
	return contextItem(ctx, wb, category)
}

func (e *Engine) contextDelete(ctx context.Context, p ContextParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	it, err := contextItem(ctx, wb, p.Category)
	if err != nil {
		return Empty{}, err
	}
	for _, f := range it.Item.Files {
		if err := wb.RemoveStanding(ctx, f.Path); err != nil {
			return Empty{}, err
		}
	}
	if len(it.Item.Files) > 0 {
		e.contextChanged(ctx, wb, it.Item.Category, "deleted")
	}
	return Empty{}, nil
}

func (e *Engine) contextChanged(ctx context.Context, wb *openWorkbench, category, action string) {
	e.hub.Emit(Notification{Method: "ContextChanged", Params: ContextChanged{WorkbenchID: wb.ID(), Category: category, Action: action}})
	e.notifyWindowFill(ctx, wb.ID())
}
