package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type pageSetupArgs struct {
	sheetArgs
	Orientation string       `json:"orientation" jsonschema:"{ops}: portrait or landscape"`
	Paper       string       `json:"paper" jsonschema:"{ops}: A2 to A6, B4, B5, Letter, Legal, Tabloid or Executive"`
	Fit         *PageFit     `json:"fit" jsonschema:"{ops}: shrink to a number of pages"`
	Scale       *lenient.Int `json:"scale" jsonschema:"{ops}: percent, 10 to 400, instead of fit"`
	Margins     *PageMargins `json:"margins" jsonschema:"{ops}: inches"`
	PrintArea   string       `json:"print_area" jsonschema:"{ops}: what is printed, such as A1:F40, several with commas; none: the whole sheet"`
	Repeat      *PageTitles  `json:"repeat" jsonschema:"{ops}: what every page repeats"`
	Header      *PageText    `json:"header" jsonschema:"{ops}: top of the pages"`
	Footer      *PageText    `json:"footer" jsonschema:"{ops}: foot of the pages"`
	Breaks      *PageBreaks  `json:"breaks" jsonschema:"{ops}: all page breaks set by hand; [] none"`
	Print       *PageOptions `json:"print" jsonschema:"{ops}: what else is printed, and where"`
}

// PageFit is the number of pages that a sheet is shrunk to.
type PageFit struct {
	Across *lenient.Int `json:"across,omitempty" jsonschema:"pages side by side; 0 or nothing: any number"`
	Down   *lenient.Int `json:"down,omitempty" jsonschema:"pages one below the other; 0 or nothing: any number"`
}

// PageMargins are the margins of printed pages in inches.
type PageMargins struct {
	Left   *lenient.Float `json:"left,omitempty"`
	Right  *lenient.Float `json:"right,omitempty"`
	Top    *lenient.Float `json:"top,omitempty"`
	Bottom *lenient.Float `json:"bottom,omitempty"`
	Header *lenient.Float `json:"header,omitempty" jsonschema:"from the edge of the paper to the header"`
	Footer *lenient.Float `json:"footer,omitempty"`
}

// PageTitles are the rows and columns that every page repeats.
type PageTitles struct {
	Rows    string `json:"rows,omitempty" jsonschema:"such as 1:2; none"`
	Columns string `json:"columns,omitempty" jsonschema:"such as A:B; none"`
}

// PageText is a header or footer; members that are not given stay as they are.
type PageText struct {
	PageSections
	First *PageSections `json:"first,omitempty" jsonschema:"of the first page, where it differs"`
	Even  *PageSections `json:"even,omitempty" jsonschema:"of even pages, where they differ"`
}

// PageSections are the three texts of a header or footer.
type PageSections struct {
	Left   *string `json:"left,omitempty" jsonschema:"text with &P or [page] page number, &N or [pages] pages, &D or [date], &T or [time], &F or [file], &A or [sheet], &Z or [path]; &B bold, &I italic, &U underlined, &12 size, &\"Arial,Bold\" font, &KRRGGBB colour; && is an ampersand"`
	Center *string `json:"center,omitempty"`
	Right  *string `json:"right,omitempty"`
}

// given reports whether any section is given.
func (p *PageSections) given() bool {
	return p != nil && (p.Left != nil || p.Center != nil || p.Right != nil)
}

// PageBreaks are the page breaks set by hand.
type PageBreaks struct {
	AfterRows    []lenient.Int `json:"after_rows,omitempty" jsonschema:"row numbers"`
	AfterColumns []any         `json:"after_columns,omitempty" jsonschema:"letters"`
}

// PageOptions are the other options of printing.
type PageOptions struct {
	Gridlines    *lenient.Bool `json:"gridlines,omitempty" jsonschema:"the lines between cells"`
	Headings     *lenient.Bool `json:"headings,omitempty" jsonschema:"row numbers and column letters"`
	CenterAcross *lenient.Bool `json:"center_across,omitempty" jsonschema:"center on the page horizontally"`
	CenterDown   *lenient.Bool `json:"center_down,omitempty" jsonschema:"center on the page vertically"`
	FirstNumber  *lenient.Int  `json:"first_page_number,omitempty" jsonschema:"0 automatic"`
	Order        string        `json:"order,omitempty" jsonschema:"down or across: which pages come first"`
}

// paperSizes are the codes of papers (18.3.1.63, paperSize).
var paperSizes = map[string]string{"letter": "1", "tabloid": "3", "legal": "5", "executive": "7", "a3": "8", "a4": "9", "a5": "11", "b4": "12", "b5": "13", "a2": "66", "a6": "70"}

// pageSetup sets how a sheet is printed (18.3.1.63 and on).
func (p *plan) pageSetup(_ context.Context, op pageSetupArgs) (int, error) {
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	c, err := op.change()
	if err != nil {
		return 0, err
	}
	if c.empty() {
		return 0, formats.Errorf(formats.CodeInvalid, "nothing to set: give orientation, paper, fit, margins, print_area, repeat, header, footer, breaks or print")
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error { return w.setPage(c) })
	return 0, nil
}

// attr is an attribute to set, or to remove where the value is "".
type attr struct{ name, value string }

// pageChange is a change of the set-up of pages, checked.
type pageChange struct {
	setup, options, margins []attr
	fit                     *bool
	texts                   map[string]*PageSections // by element
	area                    []cellref.Range
	rows, columns           *cellref.Range
	hasArea                 bool
	breaks                  map[string][]int // by element
}

func (c *pageChange) empty() bool {
	return len(c.setup)+len(c.options)+len(c.margins)+len(c.texts)+len(c.breaks) == 0 && c.fit == nil && !c.hasArea && c.rows == nil && c.columns == nil
}

// change checks the members.
func (op *pageSetupArgs) change() (*pageChange, error) {
	c := &pageChange{texts: map[string]*PageSections{}, breaks: map[string][]int{}}
	for side, t := range map[string]*PageText{"Header": op.Header, "Footer": op.Footer} {
		if t == nil {
			continue
		}
		for kind, text := range map[string]*PageSections{"odd": &t.PageSections, "first": t.First, "even": t.Even} {
			if text.given() {
				c.texts[kind+side] = text
			}
		}
	}
	for _, step := range []func(*pageChange) error{op.paper, op.scale, op.options, op.margins, op.names, op.breaks} {
		if err := step(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (op *pageSetupArgs) paper(c *pageChange) error {
	switch o := strings.ToLower(op.Orientation); o {
	case "":
	case "portrait", "landscape":
		c.setup = append(c.setup, attr{"orientation", o})
	default:
		return formats.Errorf(formats.CodeInvalid, "orientation: expected portrait or landscape, got %s", cellref.QuoteArg(op.Orientation))
	}
	if op.Paper != "" {
		code, ok := paperSizes[strings.ToLower(strings.TrimSpace(op.Paper))]
		if !ok {
			return formats.Errorf(formats.CodeInvalid, "paper: expected A2 to A6, B4, B5, Letter, Legal, Tabloid or Executive, got %s", cellref.QuoteArg(op.Paper))
		}
		c.setup = append(c.setup, attr{"paperSize", code})
	}
	return nil
}

func (op *pageSetupArgs) scale(c *pageChange) error {
	fit, no := true, false
	if op.Scale != nil {
		if op.Fit != nil {
			return formats.Errorf(formats.CodeInvalid, "give scale or fit, not both")
		}
		if *op.Scale < 10 || *op.Scale > 400 {
			return formats.Errorf(formats.CodeInvalid, "invalid scale %d: expected 10 to 400 percent", *op.Scale)
		}
		c.setup, c.fit = append(c.setup, attr{"scale", strconv.Itoa(int(*op.Scale))}), &no
		return nil
	}
	if op.Fit == nil {
		return nil
	}
	c.fit = &fit
	for _, f := range []struct {
		n    *lenient.Int
		name string
	}{{op.Fit.Across, "fitToWidth"}, {op.Fit.Down, "fitToHeight"}} {
		n := lenient.Int(0)
		if f.n != nil {
			n = *f.n
		}
		if n < 0 || n > 32767 {
			return formats.Errorf(formats.CodeInvalid, "invalid number of pages %d: expected 0 to 32767", n)
		}
		value := strconv.Itoa(int(n))
		if n == 1 {
			value = "" // what is not said is 1
		}
		c.setup = append(c.setup, attr{f.name, value})
	}
	return nil
}

func (op *pageSetupArgs) options(c *pageChange) error {
	o := op.Print
	if o == nil {
		return nil
	}
	for _, f := range []struct {
		to   *lenient.Bool
		name string
	}{{o.CenterAcross, "horizontalCentered"}, {o.CenterDown, "verticalCentered"}, {o.Gridlines, "gridLines"}, {o.Headings, "headings"}} {
		if f.to != nil {
			c.options = append(c.options, attr{f.name, map[bool]string{true: "1"}[bool(*f.to)]})
		}
	}
	switch order := strings.ToLower(o.Order); order {
	case "":
	case "down", "across":
		c.setup = append(c.setup, attr{"pageOrder", map[string]string{"down": "", "across": "overThenDown"}[order]})
	default:
		return formats.Errorf(formats.CodeInvalid, "print.order: expected down or across, got %s", cellref.QuoteArg(o.Order))
	}
	if n := o.FirstNumber; n != nil {
		if *n < 0 || *n > 32767 {
			return formats.Errorf(formats.CodeInvalid, "print.first_page_number: expected 0 to 32767, got %d", *n)
		}
		first, use := strconv.Itoa(int(*n)), "1"
		if *n == 0 {
			first, use = "", ""
		}
		c.setup = append(c.setup, attr{"firstPageNumber", first}, attr{"useFirstPageNumber", use})
	}
	return nil
}

func (op *pageSetupArgs) margins(c *pageChange) error {
	m := op.Margins
	if m == nil {
		return nil
	}
	for _, f := range []struct {
		to   *lenient.Float
		name string
	}{{m.Left, "left"}, {m.Right, "right"}, {m.Top, "top"}, {m.Bottom, "bottom"}, {m.Header, "header"}, {m.Footer, "footer"}} {
		if f.to == nil {
			continue
		}
		if v := float64(*f.to); !(v >= 0 && v < 49) {
			return formats.Errorf(formats.CodeInvalid, "invalid margin %s %v: expected 0 to 48 inches", f.name, v)
		}
		c.margins = append(c.margins, attr{f.name, strconv.FormatFloat(float64(*f.to), 'f', -1, 64)})
	}
	return nil
}

// names checks what defined names will hold. An empty range takes a name away.
func (op *pageSetupArgs) names(c *pageChange) error {
	if strings.TrimSpace(op.PrintArea) != "" {
		if c.hasArea = true; !strings.EqualFold(strings.TrimSpace(op.PrintArea), "none") {
			list, err := ranges(op.PrintArea)
			if err != nil {
				return err
			}
			c.area = list
		}
	}
	if op.Repeat == nil {
		return nil
	}
	for _, f := range []struct {
		text, name, such string
		to               **cellref.Range
		whole            func(cellref.Range) bool
	}{
		{op.Repeat.Rows, "repeat.rows", "1:2", &c.rows, func(r cellref.Range) bool { return r.C1 == 1 && r.C2 == cellref.MaxCol }},
		{op.Repeat.Columns, "repeat.columns", "A:B", &c.columns, func(r cellref.Range) bool { return r.R1 == 1 && r.R2 == cellref.MaxRow }},
	} {
		text := strings.TrimSpace(f.text)
		switch {
		case text == "":
			continue
		case strings.EqualFold(text, "none"):
			*f.to = &cellref.Range{}
			continue
		case !strings.Contains(text, ":"):
			text += ":" + text
		}
		r, err := cellref.ParseRange(strings.ReplaceAll(text, "$", ""))
		if err != nil || !f.whole(r) {
			return formats.Errorf(formats.CodeInvalid, "%s: expected whole lines such as %s, or none; got %s", f.name, f.such, cellref.QuoteArg(f.text))
		}
		*f.to = &r
	}
	return nil
}

// maxBreaks is as many page breaks as Excel takes in a sheet.
const maxBreaks = 1026

func (op *pageSetupArgs) breaks(c *pageChange) error {
	if op.Breaks == nil {
		return nil
	}
	if op.Breaks.AfterRows != nil {
		c.breaks["rowBreaks"] = []int{}
		for _, r := range op.Breaks.AfterRows {
			if r < 1 || r >= cellref.MaxRow {
				return formats.Errorf(formats.CodeInvalid, "breaks.after_rows: invalid row %d: expected 1 to %d", r, cellref.MaxRow-1)
			}
			c.breaks["rowBreaks"] = append(c.breaks["rowBreaks"], int(r))
		}
	}
	if op.Breaks.AfterColumns != nil {
		c.breaks["colBreaks"] = []int{}
		for _, v := range op.Breaks.AfterColumns {
			n, err := columnNumber(v)
			if err != nil {
				return err
			}
			c.breaks["colBreaks"] = append(c.breaks["colBreaks"], n)
		}
	}
	for name, list := range c.breaks {
		slices.Sort(list)
		if c.breaks[name] = slices.Compact(list); len(list) > maxBreaks {
			return formats.Errorf(formats.CodeTooLarge, "%d page breaks are too many; Excel takes %d", len(list), maxBreaks)
		}
	}
	return nil
}
