package inventory

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/textclip"
)

// ChartItem returns the item of the chart in part, with all that it leads to:
// its workbook, styles and colours. The caller sets Key and At.
func ChartItem(ctx context.Context, pkg *opc.Package, part string) (Item, error) {
	t := Item{Kind: formats.FactChart, WarnRemoved: "lost: a chart"}
	var err error
	if t.Sum, t.Parts, err = TreeSum(ctx, pkg, part, nil); err != nil || !pkg.Has(part) {
		return t, err
	}
	doc, err := pkg.ReadXML(ctx, part)
	if err != nil {
		return t, err
	}
	t.Text = chartText(doc)
	t.WarnRemoved = "lost: " + t.Text
	return t, nil
}

// chartText describes a chart (ECMA-376-1, 21.2): its kinds, title and the cells
// of its series.
func chartText(doc []byte) string {
	var kinds, cells []string
	series, title := 0, ""
	var names []string
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End:
			names = names[:len(names)-1]
			continue
		case t.Kind != xmlscan.Start:
			continue
		}
		parent := ""
		if n := len(names); n > 0 {
			parent = names[n-1]
		}
		switch {
		case parent == "plotArea" && strings.HasSuffix(t.Local, "Chart"):
			kinds = append(kinds, strings.TrimSuffix(t.Local, "Chart"))
		case t.Local == "ser":
			series++
		case parent == "chart" && t.Local == "title":
			title = plainText(doc[t.Start:max(t.End, sc.Skip())])
			continue
		case t.Local == "val" || t.Local == "yVal" || t.Local == "bubbleSize":
			if f := elementText(doc[t.Start:max(t.End, sc.Skip())], "f"); f != "" {
				cells = append(cells, f)
			}
			continue
		}
		if !t.Empty {
			names = append(names, t.Local)
		}
	}
	out := strings.TrimSpace(strings.Join(kinds, " and ") + " chart")
	if title != "" {
		out += " “" + textclip.Head(title, 80) + "”"
	}
	out += ", " + formats.Count(series, "series", "series")
	if len(cells) > 0 {
		out += " of " + textclip.Head(strings.Join(cells, ", "), 120)
	}
	return out
}

// elementText returns the text of the first element of that local name.
func elementText(doc []byte, local string) string {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local {
			return plainText(doc[t.Start:max(t.End, sc.Skip())])
		}
	}
	return ""
}

// PictureItem returns the item of the picture in part. The caller sets Key and
// At, and adds to Sum what of its frame counts.
func PictureItem(ctx context.Context, pkg *opc.Package, part string) (Item, error) {
	t := Item{Kind: formats.FactPicture, Text: "a picture that is missing from the file", WarnRemoved: "lost: a picture"}
	if !pkg.Has(part) {
		return t, nil
	}
	var err error
	t.Sum, err = PartSum(ctx, pkg, part)
	t.Parts = []string{part}
	t.Text = fmt.Sprintf("%s picture of %s", strings.ToUpper(strings.TrimPrefix(path.Ext(part), ".")), byteSize(pkg.Size(part)))
	return t, err
}

// TreeItem returns the item of a part, and all it leads to, that is reported in
// one word.
func TreeItem(ctx context.Context, pkg *opc.Package, kind, part, text string) (Item, error) {
	t := Item{Kind: kind, Key: part, Text: text}
	var err error
	t.Sum, t.Parts, err = TreeSum(ctx, pkg, part, nil)
	return t, err
}

func byteSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// AddTheme adds the theme in part: its colours and fonts by name, and what else
// there is.
func (in *Inventory) AddTheme(ctx context.Context, part, at string) error {
	doc, err := in.pkg.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Depth == 4 && isThemeColor(t.Local):
			name := t.Local
			elem := doc[t.Start:max(t.End, sc.Skip())]
			sum, err := Canonicalizer{}.Fragment(doc, elem)
			if err != nil {
				return err
			}
			in.Add(Item{Kind: formats.FactTheme, Key: part + " " + name, At: at, Text: name + " " + colorOf(elem), Sum: sum})
		case t.Depth == 4 && (t.Local == "majorFont" || t.Local == "minorFont"):
			name := t.Local
			elem := doc[t.Start:max(t.End, sc.Skip())]
			sum, err := Canonicalizer{}.Fragment(doc, elem)
			if err != nil {
				return err
			}
			in.Add(Item{Kind: formats.FactTheme, Key: part + " " + name, At: at, Text: name + " “" + latinFont(elem) + "”", Sum: sum})
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	sum, err := Canonicalizer{Ignore: func(t xmlscan.Token) bool {
		return t.Depth == 4 && (isThemeColor(t.Local) || t.Local == "majorFont" || t.Local == "minorFont")
	}}.Element(doc)
	if err != nil {
		return err
	}
	in.Add(Item{Kind: formats.FactTheme, Key: part, At: at, Text: "effects, names and other settings of the theme", Sum: sum, Parts: []string{part}})
	return nil
}

func isThemeColor(local string) bool {
	switch local {
	case "dk1", "lt1", "dk2", "lt2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink":
		return true
	}
	return false
}

func colorOf(elem []byte) string {
	sc := xmlscan.New(elem)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 {
			if v := t.AttrLocal("lastClr"); v != "" {
				return v
			}
			return t.AttrLocal("val")
		}
	}
	return "none"
}

func latinFont(elem []byte) string {
	sc := xmlscan.New(elem)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == "latin" {
			return t.AttrLocal("typeface")
		}
	}
	return ""
}

// ChartSettings returns an item for each setting of the chart in part, as words.
// of is the key of the chart's own item, at is where the settings are. values adds
// the values that the chart stores, for charts whose cells are not told elsewhere.
func ChartSettings(ctx context.Context, pkg *opc.Package, part, of, at string, values bool) ([]Item, error) {
	if !pkg.Has(part) {
		return nil, nil
	}
	doc, err := pkg.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	list, err := chart.Settings(ctx, doc, values)
	if err != nil {
		return nil, ctx.Err() // the sum of the whole chart tells of it
	}
	var out []Item
	for _, s := range list {
		out = append(out, Item{Kind: formats.FactChart, Key: of + " " + s.Key, Of: of, At: at, Text: s.Text})
	}
	return out, nil
}
