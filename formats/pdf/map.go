package pdf

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// mapOf describes a document.
func mapOf(ctx context.Context, d document) (Info, error) {
	info := Info{
		PageCount: d.pages(), ChunkPages: ChunkPages, ChunkCount: (d.pages() + ChunkPages - 1) / ChunkPages,
		Encrypted: d.encrypted(), Title: clip(cleanText(d.title())), Outline: d.outline(), HasForms: d.hasForm(),
	}
	if w, h := d.size(0); w > 0 && h > 0 {
		info.PageSize = fmt.Sprintf("%.0f×%.0f pt", w, h)
	}
	if len(info.Outline) > maxOutline {
		info.Outline, info.OutlineOmitted = info.Outline[:maxOutline], true
	}
	for i := range info.Outline {
		info.Outline[i].Title = clip(strings.TrimSpace(cleanText(info.Outline[i].Title)))
	}
	if err := info.examinePages(ctx, d); err != nil {
		return Info{}, err
	}
	info.fit()
	return info, nil
}

// examinePages looks at the first pages one by one.
func (m *Info) examinePages(ctx context.Context, d document) error {
	n := min(m.PageCount, textPages)
	if n < m.PageCount {
		m.PagesExamined = n
	}
	var blank []int
	for p := range n {
		b := d.extras(ctx, p) // before text, which makes content of fields
		s, err := d.text(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && !isBlank(cleanText(s)) {
			m.HasText = true
		} else {
			blank = append(blank, p)
		}
		m.HasAnnotations = m.HasAnnotations || b.annotations > 0
		m.Links += b.links
		for _, f := range b.fields {
			f.Name, f.Value = clip(cleanText(f.Name)), clip(cleanText(f.Value))
			m.Fields = append(m.Fields, f)
		}
	}
	m.HasForms = m.HasForms || len(m.Fields) > 0
	if m.HasText {
		m.WithoutText = ranges(blank)
	}
	return nil
}

// fit leaves out fields, then bookmarks, until the map is small enough.
func (m *Info) fit() {
	for {
		b, err := json.Marshal(m)
		if err != nil || len(b) <= formats.MaxMap {
			return
		}
		switch {
		case len(m.Fields) > 0 && len(m.Fields) >= len(m.Outline)/4:
			m.omitFields(len(m.Fields) - len(m.Fields)*3/4)
		case len(m.Outline) > 0:
			m.Outline, m.OutlineOmitted = m.Outline[:len(m.Outline)*3/4], true
		default:
			return
		}
	}
}

// omitFields leaves out n fields: the last of those that nobody filled in, then the last.
func (m *Info) omitFields(n int) {
	m.FieldsOmitted += n
	for i := len(m.Fields) - 1; i >= 0 && n > 0; i-- {
		if !m.Fields[i].filled() {
			m.Fields = slices.Delete(m.Fields, i, i+1)
			n--
		}
	}
	m.Fields = m.Fields[:len(m.Fields)-n]
}

func clip(s string) string { return textclip.Fit(s, maxTitle) }
