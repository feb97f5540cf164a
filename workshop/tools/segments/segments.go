package segments

import (
	"atelier/workshop/tools"
	"context"
	"fmt"
	"io"
	"reflect"

	"atelier/formats"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/translate/check"
)

type getSegmentsArgs struct {
	Path   string       `json:"path" jsonschema:"File path"`
	Offset *lenient.Int `json:"offset,omitempty" jsonschema:"First segment, 0-based, default 0"`
	Limit  *lenient.Int `json:"limit,omitempty" jsonschema:"Number of segments, default 50"`
}

type segmentRow struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Place     string   `json:"place"`
	MaxLength int      `json:"max_length,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

type segmentPage struct {
	Path     string       `json:"path"`
	Total    int          `json:"total"`
	Offset   int          `json:"offset"`
	HasMore  bool         `json:"has_more"`
	Next     int          `json:"next,omitempty"`
	Segments []segmentRow `json:"segments"`
}

// Get is the tool that lists the translatable texts of a document.
func Get() *tools.Tool {
	return tools.New("get_segments", "List the translatable texts of a document with their ids. It may be docx, xlsx, pptx, md, txt or csv. Tags such as <1>…</1> and <2/> stand for formatting; keep them in translations.", tools.Read,
		func(ctx context.Context, env *tools.Env, a getSegmentsArgs) (any, error) {
			src, f, err := tools.OpenFile(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			segs, err := segmentsOf(ctx, f, src, a.Path)
			if err != nil {
				return nil, err
			}
			from, count := 0, 50
			if a.Offset != nil {
				from = int(*a.Offset)
			}
			if a.Limit != nil {
				count = int(*a.Limit)
			}
			if from < 0 || count < 1 {
				return nil, workshop.Faultf(workshop.Invalid, "offset must be 0 or more, limit 1 or more").OnField("offset")
			}
			return pageOf(env, a.Path, segs, min(from, len(segs)), count)
		}).Gives(reflect.TypeFor[segmentPage]())
}

func segmentsOf(ctx context.Context, f *formats.Format, src formats.Source, path string) ([]formats.Segment, error) {
	if f.Segmenter == nil {
		return nil, workshop.Faultf(workshop.Invalid, "%s is %s file, which cannot be translated", path, f.Kind.WithArticle()).OnField("path")
	}
	return f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
}

// pageOf returns up to count segments starting at from: fewer if they would
// not fit into a result, but at least one. If a single segment is too long,
// the catalogue shortens it.
func pageOf(env *tools.Env, path string, segs []formats.Segment, from, count int) (any, error) {
	p := segmentPage{Path: path, Total: len(segs), Offset: from, Segments: []segmentRow{}}
	size := 200 + len(path)
	for i := from; i < len(segs) && i < from+count; i++ {
		s := segs[i]
		row := segmentRow{s.ID, s.Text, s.Place, s.MaxLength, s.Notes}
		b, err := tools.Compact(row)
		if err != nil {
			return nil, err
		}
		if size += len(b) + 1; size > env.Max() && len(p.Segments) > 0 {
			break
		}
		p.Segments = append(p.Segments, row)
	}
	if next := from + len(p.Segments); next < len(segs) {
		p.HasMore, p.Next = true, next
	}
	return p, nil
}

type translationArg struct {
	ID   string `json:"id" jsonschema:"The segment's id"`
	Text string `json:"text" jsonschema:"Its translation, with the same tags"`
}

type putTranslationsArgs struct {
	Path         string           `json:"path" jsonschema:"The document the segments are from"`
	ToPath       string           `json:"to_path,omitempty" jsonschema:"Write into this file instead, a copy of path; the same for every call on a document"`
	Language     string           `json:"language,omitempty" jsonschema:"Target language"`
	Translations []translationArg `json:"translations" jsonschema:"Translations by segment id"`
}

type putResult struct {
	Path      string     `json:"path"`
	Replaced  int        `json:"replaced"`
	Rejected  []rejected `json:"rejected,omitempty"`
	Remaining int        `json:"remaining"`
	Calc      string     `json:"calc,omitempty"` // formats.CalcAtelier where values of formulas were calculated
	Effects   []string   `json:"effects,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
}

type rejected struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Put is the tool that writes translations into a document.
func Put() *tools.Tool {
	return tools.New("put_translations", "Write translations of segments into the document, formatting kept. A translation with wrong tags is refused by itself and named; send it again corrected.", tools.Write,
		func(ctx context.Context, env *tools.Env, a putTranslationsArgs) (any, error) {
			return putTranslations(ctx, env, a)
		}).Gives(reflect.TypeFor[putResult]())
}

func putTranslations(ctx context.Context, env *tools.Env, a putTranslationsArgs) (any, error) {
	if len(a.Translations) == 0 {
		return nil, workshop.Faultf(workshop.Invalid, "translations is required").OnField("translations")
	}
	if a.ToPath == "" {
		a.ToPath = a.Path
	}
	to, err := tools.ParsePath(a.ToPath)
	if err != nil {
		return nil, err
	}
	if formats.KindOfName(a.ToPath) != formats.KindOfName(a.Path) {
		return nil, workshop.Faultf(workshop.Invalid, "%s and %s are files of different kinds", a.Path, a.ToPath).OnField("to_path")
	}
	src, f, err := tools.OpenFile(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	segs, err := segmentsOf(ctx, f, src, a.Path)
	if err != nil {
		return nil, err
	}
	// Translations that earlier calls wrote to to_path stay, because ids name
	// the same places there.
	base, opt := src, workshop.PutOptions{BaseHash: src.Hash()}
	if a.ToPath != a.Path {
		have, err := env.View.Open(ctx, to)
		switch {
		case err == nil:
			defer have.Close()
			base, opt = have, workshop.PutOptions{BaseHash: have.Hash()}
			if segs, err = segmentsOf(ctx, f, have, a.ToPath); err != nil {
				return nil, err
			}
		case workshop.IsFault(err, workshop.NotFound):
			opt = workshop.PutOptions{CreateOnly: true}
		default:
			return nil, err
		}
	}
	targets, bad := acceptTranslations(segs, a.Translations)
	res := putResult{Path: a.ToPath, Replaced: len(targets), Rejected: bad, Remaining: len(segs) - len(targets)}
	if len(targets) == 0 {
		return res, nil
	}
	marked, err := isCalculated(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	var report formats.Report
	calculated := false
	opt.Calculated = &calculated
	_, err = env.View.Put(ctx, to, opt, func(w io.Writer) error {
		report = formats.Report{}
		err := f.Segmenter.Replace(ctx, base, w, targets, formats.ReplaceOptions{Calculate: true, Report: &report})
		calculated = marked || report.Calculated > 0
		return err
	})
	if err != nil {
		return nil, err
	}
	if res.Effects, res.Warnings = report.Effects, report.Warnings; report.Calculated > 0 {
		res.Calc = formats.CalcAtelier
	}
	return res, nil
}

// isCalculated reports whether a file has values that Atelier calculated.
func isCalculated(ctx context.Context, env *tools.Env, path string) (bool, error) {
	p, err := tools.ParsePath(path)
	if err != nil {
		return false, err
	}
	e, err := env.View.Stat(ctx, p)
	return e.Calculated, err
}

// acceptTranslations separates translations into accepted ones by id and rejected ones
// with reasons.
func acceptTranslations(segs []formats.Segment, ts []translationArg) (map[string]string, []rejected) {
	byID := make(map[string]formats.Segment, len(segs))
	for _, s := range segs {
		byID[s.ID] = s
	}
	good := map[string]string{}
	var bad []rejected
	for _, t := range ts {
		s, ok := byID[t.ID]
		var err error
		switch {
		case !ok:
			err = fmt.Errorf("no segment has this id")
		default:
			err = check.Basic(s, t.Text)
		}
		if err != nil {
			bad = append(bad, rejected{t.ID, err.Error()})
			continue
		}
		good[t.ID] = t.Text
	}
	return good, bad
}
