package docx

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// setWatermarkArgs are the members of set_watermark.
type setWatermarkArgs struct {
	Text *string `json:"text" usage:"text (\"\" removes it)" jsonschema:"text; \\n is a line break, \\t a tab"`
}

// watermarkID begins the ids of shapes by which Word and LibreOffice know
// watermarks.
const watermarkID = "PowerPlusWaterMarkObject"

// maxWatermark is how many characters a watermark may have; more would be too
// small to read.
const maxWatermark = 60

// setWatermark puts text across the pages behind theirs, as a shape in every
// header (14.1.2.19, 14.1.2.22), and removes those that are there. Documents
// without a header get an empty one. It is not recorded as a tracked change.
func (e *editing) setWatermark(ctx context.Context, op setWatermarkArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.Text == nil {
		return rep, formats.Errorf(formats.CodeInvalid, "text is required: the words of the watermark, \"\" to remove it")
	}
	if e.strict {
		return rep, formats.Errorf(formats.CodeUnsupported, "the document is in the strict form of the format, which has no watermarks as Word makes them; save it as docx (transitional) first")
	}
	text := strings.Join(strings.Fields(*op.Text), " ")
	if n := utf8.RuneCountInString(text); n > maxWatermark {
		return rep, formats.Errorf(formats.CodeInvalid, "text has %d characters; a watermark has at most %d", n, maxWatermark)
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the watermark is not recorded as a tracked change")
	}
	if text != "" {
		if name, err := e.firstDefaultHeader(ctx); err != nil {
			return rep, err
		} else if name == "" {
			if _, err := e.newEdge(ctx, "header", "default", 0); err != nil {
				return rep, err
			}
			rep.Notes = append(rep.Notes, "the document had no header; it got an empty one, which holds the watermark")
		}
	}
	parts, err := e.textParts(ctx)
	if err != nil {
		return rep, err
	}
	for _, tp := range parts {
		if tp.word != "header" || tp.dialect != paragraph.Word {
			continue
		}
		rep.Hits++
		if err := e.watermarkIn(ctx, tp, text, rep.Hits); err != nil {
			return rep, err
		}
	}
	if text == "" && rep.Hits == 0 {
		rep.Notes = append(rep.Notes, "the document has no header and so no watermark")
	}
	return rep, nil
}

// firstDefaultHeader returns the header of the first section for pages without
// another, "" when it has none.
func (e *editing) firstDefaultHeader(ctx context.Context) (string, error) {
	_, secs, err := e.sectionsOf(ctx)
	if err != nil || len(secs) == 0 {
		return "", err
	}
	return secs[0].refs["header default"], nil
}

// watermarkIn replaces the watermark of a header.
func (e *editing) watermarkIn(ctx context.Context, tp textPart, text string, number int) error {
	p, err := e.load(ctx, tp)
	if err != nil {
		return err
	}
	if now := withoutWatermark(p.doc); len(now) != len(p.doc) {
		e.set(p.name, now)
		if p, err = e.load(ctx, tp); err != nil {
			return err
		}
	}
	if text == "" || len(p.stories) == 0 {
		return nil
	}
	run := watermarkRun(p.prefix, text, number)
	ps := p.stories[0].kidsOf(paraNode)
	if len(ps) == 0 {
		e.put(p, p.stories[0], p.stories[0].inner, p.stories[0].inner, "<"+p.prefix+"p>"+run+"</"+p.prefix+"p>")
		return nil
	}
	at := max(ps[0].inner, ps[0].props.end)
	e.put(p, ps[0], at, at, run)
	return nil
}

// withoutWatermark removes runs that hold a watermark.
func withoutWatermark(doc []byte) []byte {
	var out []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsW, "r") || t.Empty {
			continue
		}
		end := sc.Skip()
		if strings.Contains(string(doc[t.Start:end]), watermarkID) {
			out = append(out, xmlscan.Splice{Start: t.Start, End: end})
		}
	}
	return xmlscan.Apply(doc, out)
}

// watermarkRun returns the run of a watermark: text along a diagonal in light
// grey, half transparent, as Word writes it. A line is 5.5 inches long; letters
// are taken to be 0.6 as wide as high.
func watermarkRun(w, text string, number int) string {
	const width = 400 // points
	height := min(150, max(24, width*10/(6*max(1, utf8.RuneCountInString(text)))))
	return fmt.Sprintf(`<%[1]sr><%[1]spict xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w10="urn:schemas-microsoft-com:office:word">`+
		`<v:shapetype id="_x0000_t136" coordsize="21600,21600" o:spt="136" adj="10800" path="m@7,l@8,m@5,21600l@6,21600e"><v:formulas><v:f eqn="sum #0 0 10800"/><v:f eqn="prod #0 2 1"/><v:f eqn="sum 21600 0 @1"/><v:f eqn="sum 0 0 @2"/><v:f eqn="sum 21600 0 @3"/><v:f eqn="if @0 @3 0"/><v:f eqn="if @0 21600 @1"/><v:f eqn="if @0 0 @2"/><v:f eqn="if @0 @4 21600"/><v:f eqn="mid @5 @6"/><v:f eqn="mid @8 @5"/><v:f eqn="mid @7 @8"/><v:f eqn="mid @6 @7"/><v:f eqn="sum @6 0 @5"/></v:formulas><v:path textpathok="t" o:connecttype="custom" o:connectlocs="@9,0;@10,10800;@11,21600;@12,10800" o:connectangles="270,180,90,0"/><v:textpath on="t" fitshape="t"/><v:handles><v:h position="#0,bottomRight" xrange="6629,14971"/></v:handles><o:lock v:ext="edit" text="t" shapetype="t"/></v:shapetype>`+
		`<v:shape id="%[2]s%[3]d" o:spid="_x0000_s%[4]d" type="#_x0000_t136" style="position:absolute;margin-left:0;margin-top:0;width:%[5]dpt;height:%[6]dpt;rotation:315;z-index:-251658752;mso-position-horizontal:center;mso-position-horizontal-relative:margin;mso-position-vertical:center;mso-position-vertical-relative:margin" o:allowincell="f" fillcolor="silver" stroked="f"><v:fill opacity=".5"/><v:textpath style="font-family:&quot;Calibri&quot;;font-size:1pt" string="%[7]s"/><w10:wrap anchorx="margin" anchory="margin"/></v:shape></%[1]spict></%[1]sr>`,
		w, watermarkID, number, 2048+number, width, height, escape(text))
}
