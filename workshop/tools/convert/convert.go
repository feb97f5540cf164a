package convert

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/preview"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/tables"
)

type convertArgs struct {
	Path   string `json:"path" jsonschema:"File to convert; it stays as it is"`
	Format string `json:"format"`
	Target string `json:"target_path,omitempty" jsonschema:"New file, default beside path"`
	Sheet  string `json:"sheet,omitempty" jsonschema:"csv: sheet to take, default the first"`
}

// family are formats that can become each other.
type family struct {
	from []string // extensions
	to   []string
}

var families = []family{
	{[]string{".docx", ".docm", ".dotx", ".odt", ".doc", ".rtf", ".md", ".markdown", ".txt"}, []string{"docx", "pdf"}},
	{[]string{".html", ".htm", ".xhtml"}, []string{"pdf"}},
	{[]string{".xlsx", ".xlsm", ".xltx"}, []string{"csv", "xlsx", "pdf"}},
	{[]string{".xls", ".ods"}, []string{"xlsx", "pdf"}},
	{[]string{".csv", ".tsv"}, []string{"xlsx", "csv"}},
	{[]string{".pptx", ".pptm", ".potx", ".ppsx", ".odp", ".ppt"}, []string{"pptx", "pdf"}},
}

// Convert returns the tool that makes a file of another format.
func Convert() *tools.Tool {
	return tools.New("convert", "Make a docx, pdf, xlsx, csv or pptx of a file. It is a new file of the draft; none is replaced, and what was lost is told.", tools.Write,
		func(ctx context.Context, env *tools.Env, a convertArgs) (any, error) {
			c := conversion{env: env, sheet: a.Sheet}
			if err := c.check(ctx, a); err != nil {
				return nil, err
			}
			src, err := env.View.Open(ctx, c.from)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			if opc.Locked(src) {
				return nil, workshop.Faultf(workshop.Invalid, "%s is encrypted with a password, and the new file would have its content without one; nothing was written", c.from)
			}
			if err := c.look(ctx, src); err != nil {
				return nil, err
			}
			if err := c.convert(ctx, src); err != nil {
				return nil, err
			}
			e, err := env.View.Stat(ctx, c.to)
			if err != nil {
				return nil, err
			}
			said := fmt.Sprintf("Made %s (%d bytes) from %s", c.to, e.Size, c.from)
			return strings.Join(append([]string{said}, c.notes...), "\n"), nil
		})
}

// conversion is one call.
type conversion struct {
	env      *tools.Env
	from, to workshop.Path
	ext      string // of from
	format   string
	sheet    string
	notes    []string // what was lost
	hidden   int      // slides
	sheets   []string
}

func (c *conversion) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// check reads the arguments and finds what is in the way.
func (c *conversion) check(ctx context.Context, a convertArgs) (err error) {
	if c.from, err = tools.ParsePath(a.Path); err != nil {
		return err
	}
	c.ext, c.format = strings.ToLower(path.Ext(string(c.from))), strings.ToLower(strings.TrimPrefix(strings.TrimSpace(a.Format), "."))
	if c.format == "" {
		return workshop.Faultf(workshop.Invalid, "format is required").OnField("format")
	}
	i := slices.IndexFunc(families, func(f family) bool { return slices.Contains(f.from, c.ext) })
	switch {
	case c.ext == ".pdf":
		return workshop.Faultf(workshop.Invalid, "a pdf is not converted: read_file gives its text, and office operations make a new file of it")
	case i < 0:
		return workshop.Faultf(workshop.Invalid, "%s cannot be converted: it is no office file, Markdown, text, html or csv", c.from).OnField("path")
	case "."+c.format == c.ext:
		return workshop.Faultf(workshop.Invalid, "%s is a %s already; copy it", c.from, c.format).OnField("format")
	case !slices.Contains(families[i].to, c.format):
		return workshop.Faultf(workshop.Invalid, "%s cannot become %s, only %s", c.from, c.format, strings.Join(families[i].to, ", ")).OnField("format")
	}
	target := a.Target
	if target == "" {
		target = strings.TrimSuffix(string(c.from), path.Ext(string(c.from))) + "." + c.format
	}
	if c.to, err = tools.ParsePath(target); err != nil {
		return workshop.AsFault(err).OnField("target_path")
	}
	if !strings.EqualFold(path.Ext(target), "."+c.format) {
		return workshop.Faultf(workshop.Invalid, "target_path must end in .%s", c.format).OnField("target_path")
	}
	if e, err := c.env.View.Stat(ctx, c.to); err == nil {
		what := e.Kind.WithArticle() + " file"
		if e.IsDir {
			what = "a folder"
		}
		return workshop.Faultf(workshop.Conflict, "%s exists already: %s, which convert does not replace; give a free target_path", c.to, what).OnField("target_path")
	} else if !workshop.IsFault(err, workshop.NotFound) {
		return err
	}
	return nil
}

// look reads the structure of the file: one that Atelier cannot read is refused
// before another program sees it.
func (c *conversion) look(ctx context.Context, src formats.Source) error {
	f, err := c.env.Formats.Detect(ctx, src)
	if err != nil || f.Mapper == nil || f.Kind == formats.KindText {
		return err
	}
	info, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
	if err != nil {
		return err
	}
	b, err := tools.Compact(info)
	if err != nil {
		return err
	}
	var m struct {
		Hidden int                     `json:"hidden_count"`
		Sheets []struct{ Name string } `json:"sheets"`
	}
	_ = json.Unmarshal(b, &m) // of other kinds these members may be something else
	c.hidden = m.Hidden
	for _, s := range m.Sheets {
		c.sheets = append(c.sheets, s.Name)
	}
	return nil
}

// convert writes the new file.
func (c *conversion) convert(ctx context.Context, src formats.Source) error {
	switch {
	case c.format == "csv" && formats.KindOfName(src.Name()) == formats.KindXlsx:
		return c.sheetToCSV(ctx, src)
	case c.format == "csv":
		return c.tableToCSV(ctx, src)
	case c.format == "xlsx" && (c.ext == ".csv" || c.ext == ".tsv"):
		_, warnings, err := tables.Workbook(ctx, c.env, src, c.to)
		c.notes = append(c.notes, warnings...)
		return err
	}
	if c.ext == ".md" || c.ext == ".markdown" || c.ext == ".txt" {
		var doc bytes.Buffer
		if err := c.textToDocx(ctx, src, &doc); err != nil {
			return err
		}
		src = formats.FromBytes("document.docx", doc.Bytes())
		if c.format == "docx" {
			return c.put(ctx, src)
		}
	}
	return c.byLibreOffice(ctx, src)
}

// put writes a whole file.
func (c *conversion) put(ctx context.Context, made formats.Source) error {
	_, err := c.env.View.Put(ctx, c.to, workshop.PutOptions{CreateOnly: true}, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(made, 0, made.Size()))
		return err
	})
	return err
}

// byLibreOffice has LibreOffice make the file.
func (c *conversion) byLibreOffice(ctx context.Context, src formats.Source) error {
	maker := c.env.Pages
	if maker == nil {
		maker = preview.New(c.env.Formats, preview.Options{})
	}
	if !maker.CanConvert() {
		return workshop.Faultf(workshop.Invalid, "a %s cannot be made of %s here: LibreOffice, which does it, is not installed; nothing was written", c.format, c.from)
	}
	made, err := maker.Convert(ctx, src, c.format)
	if err != nil {
		return err
	}
	defer made.Close()
	switch {
	case c.format != "pdf":
		c.note("LibreOffice made it: layout may differ, and macros and what it does not know are gone")
	case c.ext == ".xlsx" || c.ext == ".xlsm" || c.ext == ".xltx" || c.ext == ".xls" || c.ext == ".ods":
		c.note("pages are as LibreOffice prints them; hidden sheets, rows and columns, formulas and comments are not in it")
	case slices.Contains(families[len(families)-1].from, c.ext):
		c.note("speaker notes, comments and animations are not in it")
		if c.hidden > 0 {
			c.note("hidden slides are not in it: %d", c.hidden)
		}
	default:
		c.note("pages are as LibreOffice lays them out; comments are not in it")
	}
	return c.put(ctx, made)
}
