package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// setWatermarkArgs are the members of set_watermark.
type setWatermarkArgs struct {
	Text      *string `json:"text" usage:"text (\"\" removes it)" jsonschema:"text; \\n is a line break, \\t a tab"`
	FontColor string  `json:"font_color" usage:"font_color?" jsonschema:"RRGGBB or auto"`
	FontName  string  `json:"font_name" usage:"font_name?"`
	Layout    string  `json:"layout" usage:"layout? (diagonal or horizontal)" jsonschema:"{ops}: diagonal or horizontal"`
}

// watermarkID begins the ids of shapes by which Word and LibreOffice know
// watermarks, pictureWatermarkID of those that are pictures.
const (
	watermarkID        = "PowerPlusWaterMarkObject"
	pictureWatermarkID = "WordPictureWatermark"
)

// maxWatermark is how many characters a watermark may have; more would be too
// small to read.
const maxWatermark = 60

// setWatermark puts text across the pages behind theirs, as a shape in every
// header (14.1.2.19, 14.1.2.22). One that is there gets the text and keeps what the
// operation does not name of its look; picture watermarks are replaced. Documents
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
	look, err := op.look()
	if err != nil {
		return rep, err
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
		if err := e.watermarkIn(ctx, tp, text, look, rep.Hits, &rep); err != nil {
			return rep, err
		}
	}
	rep.Notes = uniqueStrings(rep.Notes)
	if text != "" {
		if err := e.withoutHeader(ctx, &rep); err != nil {
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

// watermarkLook is how a watermark looks; "" is not named.
type watermarkLook struct{ color, font, rotation string }

// look checks the members for the look.
func (op setWatermarkArgs) look() (watermarkLook, error) {
	color, err := Font{FontColor: op.FontColor}.color()
	if err != nil {
		return watermarkLook{}, err
	}
	l := watermarkLook{font: op.FontName}
	if color != "" && color != "auto" {
		l.color = "#" + color
	} else if color == "auto" {
		l.color = "silver"
	}
	switch strings.ToLower(op.Layout) {
	case "":
	case "diagonal":
		l.rotation = "315"
	case "horizontal":
		l.rotation = "0"
	default:
		return l, formats.Errorf(formats.CodeInvalid, "layout %q is not diagonal or horizontal", op.Layout)
	}
	if op.Text != nil && *op.Text == "" && l != (watermarkLook{}) {
		return l, formats.Errorf(formats.CodeInvalid, "text \"\" removes the watermark; it takes no look")
	}
	return l, nil
}

// withoutHeader names the pages that show no watermark because they have no header:
// first and even pages of sections that keep them apart (17.10.6, 17.10.1).
func (e *editing) withoutHeader(ctx context.Context, rep *formats.OpReport) error {
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return err
	}
	for i, s := range secs {
		if strings.Contains(p.raw(s.span), "titlePg") && s.refs["header first"] == "" {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the first page of section %d is set apart and has no header, so it shows no watermark; set_header with type first makes one", i+1))
		}
	}
	return nil
}

// watermarkIn gives a header the watermark.
func (e *editing) watermarkIn(ctx context.Context, tp textPart, text string, look watermarkLook, number int, rep *formats.OpReport) error {
	p, err := e.load(ctx, tp)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	kept := false
	for _, r := range watermarkRuns(p.doc) {
		raw := string(p.doc[r.start:r.end])
		if text != "" && !kept && strings.Contains(raw, watermarkID) && watermarkText.MatchString(raw) {
			kept = true
			if was := xmlscan.Unescape([]byte(watermarkText.FindStringSubmatch(raw)[2])); was != text {
				rep.Notes = append(rep.Notes, fmt.Sprintf("the watermark said %q", clip(was, 60)))
			}
			if now := rewritten(raw, text, look); now != raw {
				splices = append(splices, xmlscan.Splice{Start: r.start, End: r.end, New: []byte(now)})
			}
			continue
		}
		if strings.Contains(raw, pictureWatermarkID) {
			rep.Notes = append(rep.Notes, "a picture watermark is gone")
		}
		splices = append(splices, xmlscan.Splice{Start: r.start, End: r.end})
	}
	if len(splices) > 0 {
		e.set(p.name, xmlscan.Apply(p.doc, splices))
		if p, err = e.load(ctx, tp); err != nil {
			return err
		}
	}
	if text == "" || kept || len(p.stories) == 0 {
		return nil
	}
	run := rewritten(watermarkRun(p.prefix, text, number), text, look)
	ps := p.stories[0].kidsOf(paraNode)
	if len(ps) == 0 {
		e.put(p, p.stories[0], p.stories[0].inner, p.stories[0].inner, "<"+p.prefix+"p>"+run+"</"+p.prefix+"p>")
		return nil
	}
	at := max(ps[0].inner, ps[0].props.end)
	e.put(p, ps[0], at, at, run)
	return nil
}

// watermarkRuns lists the runs that hold a watermark.
func watermarkRuns(doc []byte) (out []span) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsW, "r") || t.Empty {
			continue
		}
		end := sc.Skip()
		if raw := string(doc[t.Start:end]); strings.Contains(raw, watermarkID) || strings.Contains(raw, pictureWatermarkID) {
			out = append(out, span{t.Start, end})
		}
	}
	return out
}

// What of a watermark an operation changes, in its VML (14.1.2.19, 14.1.2.22). The
// text path has no string where the shape type declares it.
var (
	watermarkText     = lazyregexp.New(`(<\w*:?textpath\b[^>]*\sstring=")([^"]*)(")`)
	watermarkFont     = lazyregexp.New(`(<\w*:?textpath\b[^>]*font-family:)(?:&quot;|')?[^;"&']*(?:&quot;|')?`)
	watermarkColor    = lazyregexp.New(`(<\w*:?shape\b[^>]*\sfillcolor=")[^"]*(")`)
	watermarkRotation = lazyregexp.New(`(<\w*:?shape\b[^>]*rotation:)-?\d+`)
	watermarkStyle    = lazyregexp.New(`(<\w*:?shape\b[^>]*\sstyle=")`)
	watermarkWidth    = lazyregexp.New(`(<\w*:?shape\b[^>]*[;"]width:)([\d.]+)(pt)`)
)

// rewritten returns the run of a watermark with a text and a look. Its width
// follows the length of the text.
func rewritten(raw, text string, look watermarkLook) string {
	was := xmlscan.Unescape([]byte(watermarkText.FindStringSubmatch(raw)[2]))
	if was != text {
		raw = watermarkText.ReplaceAllString(raw, "${1}"+strings.ReplaceAll(escape(text), "$", "$$")+"${3}")
		if m := watermarkWidth.FindStringSubmatch(raw); m != nil {
			width, _ := strconv.ParseFloat(m[2], 64)
			width = min(468, width*float64(utf8.RuneCountInString(text))/float64(max(1, utf8.RuneCountInString(was))))
			raw = watermarkWidth.ReplaceAllString(raw, fmt.Sprintf("${1}%.0f${3}", max(40, width)))
		}
	}
	if look.color != "" {
		raw = watermarkColor.ReplaceAllString(raw, "${1}"+look.color+"${2}")
	}
	if look.font != "" {
		raw = watermarkFont.ReplaceAllString(raw, "${1}&quot;"+strings.ReplaceAll(escape(look.font), "$", "$$")+"&quot;")
	}
	switch {
	case look.rotation == "":
	case watermarkRotation.MatchString(raw):
		raw = watermarkRotation.ReplaceAllString(raw, "${1}"+look.rotation)
	default:
		raw = watermarkStyle.ReplaceAllString(raw, "${1}rotation:"+look.rotation+";")
	}
	return raw
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
