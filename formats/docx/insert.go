package docx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// setParagraphsArgs are the members of set_paragraphs.
type setParagraphsArgs struct {
	Paragraphs []Paragraph `json:"paragraphs" usage:"paragraphs (replaces the whole body)" jsonschema:"several paragraphs instead of text"`
	listArgs
	trackingArgs
}

// setParagraphs replaces the whole content of the body. An address in
// like is one of the old content.
func (e *editing) setParagraphs(ctx context.Context, op setParagraphsArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: len(op.Paragraphs)}
	if op.Paragraphs == nil {
		return rep, formats.Errorf(formats.CodeInvalid, "paragraphs is required")
	}
	p, err := e.body(ctx)
	if err != nil {
		return rep, err
	}
	made, err := e.newParagraphs(ctx, p, op.listArgs, op.Paragraphs, nil, &rep)
	if err != nil {
		return rep, err
	}
	story := p.stories[0]
	start, end := story.inner, bodyEnd(p)
	if e.rev != nil { // the old content is recorded as deleted
		splices := []xmlscan.Splice{}
		for _, k := range story.kids {
			splices = append(splices, e.trackDelete(p, k)...)
		}
		grown := 0
		for _, s := range splices {
			grown += len(s.New) - (s.End - s.Start)
		}
		e.splice(p, append(splices, xmlscan.Splice{Start: end, End: end, New: []byte(made.xml)})...)
		return rep, e.tellLooks(ctx, p, end+grown, made, &rep)
	}
	content := made.xml
	if content == "" {
		content = "<" + p.prefix + "p/>" // a body needs a paragraph to be edited in Word
	}
	if lost := describeContents(p.doc[start:end]); lost != "" {
		rep.Warnings = append(rep.Warnings, "the replaced content also had "+lost+", which are gone; headers, footers and page layout of the last section stay")
	}
	e.put(p, story, start, end, content)
	return rep, e.tellLooks(ctx, p, min(start, story.start), made, &rep)
}

// appendParagraphArgs are the members of append_paragraph.
type appendParagraphArgs struct {
	contentArgs
	listArgs
	Layout
	Font
	trackingArgs
}

// appendParagraph puts paragraphs at the end of the body.
func (e *editing) appendParagraph(ctx context.Context, op appendParagraphArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	rep.Hits = len(specs)
	p, err := e.body(ctx)
	if err != nil {
		return rep, err
	}
	story := p.stories[0]
	made, err := e.newParagraphs(ctx, p, op.listArgs, specs, &surroundings{near: e.lastOfStory(p, story)}, &rep)
	if err != nil {
		return rep, err
	}
	end := bodyEnd(p)
	e.put(p, story, end, end, made.xml)
	return rep, e.tellMade(ctx, p, min(end, story.end), made, &rep)
}

// lastOfStory returns where a list can go on behind a story: its last block,
// behind which empty paragraphs may stand.
func (e *editing) lastOfStory(p *part, story *node) []place {
	for i := len(story.kids) - 1; i >= 0; i-- {
		n := story.kids[i]
		if n.kind != paraNode {
			return nil
		}
		if n.list.num != "" || n.style != "" || p.paras[n.para].Text() != "" {
			return []place{{p, n}}
		}
	}
	return nil
}

// insertParagraphArgs are the members of insert_paragraph.
type insertParagraphArgs struct {
	besideArgs
	contentArgs
	listArgs
	Layout
	Font
	trackingArgs
}

// insertParagraph puts paragraphs before or after a block. What they look like
// is said in newParagraphs.
func (e *editing) insertParagraph(ctx context.Context, op insertParagraphArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	rep.Hits = len(specs)
	pl, at, err := e.beside(ctx, op.besideArgs)
	if err != nil {
		return rep, err
	}
	around := surroundings{look: &pl, near: []place{pl}}
	if other := pl.across(at); other != nil {
		around.near = append(around.near, place{pl.part, other})
	}
	made, err := e.newParagraphs(ctx, pl.part, op.listArgs, specs, &around, &rep)
	if err != nil {
		return rep, err
	}
	made.at, made.moved = at, len(made.xml)
	rep.Moved = movedBy(e.paragraphAfter(ctx, pl, at), len(specs))
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(made.xml)})
	return rep, e.tellMade(ctx, pl.part, at, made, &rep)
}

// across returns the block on the other side of a position at the edge of one.
func (pl place) across(at int) *node {
	if pl.parent == nil {
		return nil
	}
	var before *node
	for _, k := range pl.parent.kids {
		switch {
		case k == pl.node:
		case k.end <= at:
			before = k
		case at == pl.end:
			return k
		}
	}
	if at == pl.start {
		return before
	}
	return nil
}
