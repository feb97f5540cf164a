package catalogue

import (
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type readManyArgs struct {
	Paths []string     `json:"paths" jsonschema:"Full paths of 1 to 50 files"`
	Limit *lenient.Int `json:"limit,omitempty" jsonschema:"Most lines of each file, default 500; 0 is all"`
}

type readManyResult struct {
	Files []manyFile `json:"files"`
}

type manyFile struct {
	Path       string   `json:"path"`
	Success    bool     `json:"success"`
	Content    *content `json:"content"`
	Hash       *string  `json:"hash"`
	Synced     bool     `json:"synced"`
	Error      *string  `json:"error"`
	TotalLines *int     `json:"total_lines"`
	Truncated  *bool    `json:"truncated"`
	Extracted  bool     `json:"extracted,omitempty"`
}

// The most files of one call (B13-01, B14-01).
const (
	maxReadMany = 50
	maxConcat   = 20
)

// several checks how many paths there are and leaves out those that are not
// paths at all: they fail alone, like files that are missing.
func several(paths []string, most int, verb string) ([]workshop.Path, error) {
	switch {
	case len(paths) == 0:
		return nil, workshop.Faultf(workshop.Invalid, "Paths array cannot be empty").OnField("paths")
	case len(paths) > most:
		return nil, workshop.Faultf(workshop.Invalid, "Cannot %s more than %d files at once", verb, most).OnField("paths")
	}
	var out []workshop.Path
	for _, s := range paths {
		if p, err := clamp("paths", s); err == nil {
			out = append(out, p)
		}
	}
	return out, nil
}

// oneRead is what became of one of the paths that were asked for.
type oneRead struct {
	files.OneRead
	path string
}

// failure returns why it failed, in the catalogue's words; "" when it did not.
func (r oneRead) failure(own map[files.Why]word) string {
	if r.Fault == nil {
		return ""
	}
	return worded(own)(r.Fault).Message
}

// inOrder puts what was read beside the paths that were asked for.
func inOrder(paths []string, reads []files.OneRead) []oneRead {
	var out []oneRead
	for _, s := range paths {
		if p, err := clamp("paths", s); err != nil {
			out = append(out, oneRead{files.OneRead{Fault: workshop.AsFault(err)}, s})
		} else {
			out = append(out, oneRead{reads[0], absolute(p)})
			reads = reads[1:]
		}
	}
	return out
}

func scaleReadMany(t *tools.Tool) tools.Binding {
	words := map[files.Why]word{files.IsFolder: {workshop.Invalid, "path", "Cannot read a folder"}}
	return tools.Bind("read_multiple_files", "Read up to 50 files at once. A file that cannot be read has success: false and an error; the others are returned.", t,
		func(_ *tools.Env, a readManyArgs) (out files.ReadManyArgs, err error) {
			if out.Lines.Count, err = limitOr("limit", a.Limit, defaultLines); err != nil {
				return out, err
			}
			out.Paths, err = several(a.Paths, maxReadMany, "read")
			return out, err
		},
		func(_ *tools.Env, a readManyArgs, reads []files.OneRead) (any, error) {
			out := readManyResult{}
			for _, r := range inOrder(a.Paths, reads) {
				f := manyFile{Path: r.path}
				if msg := r.failure(words); msg != "" {
					f.Error = &msg
				} else {
					c := r.Content
					f.Success, f.Content, f.Hash, f.Synced, f.Extracted = true, &content{c.Text, c.Value}, &c.Entry.Hash, c.Entry.Synced, c.Extracted
					if c.Value == nil {
						f.TotalLines, f.Truncated = &c.Total, &c.Truncated
					}
				}
				out.Files = append(out.Files, f)
			}
			return out, nil
		}).Worded(worded(nil))
}

type catArgs struct {
	Paths        []string     `json:"paths" jsonschema:"Full paths of 1 to 20 files"`
	ShowEnds     lenient.Bool `json:"show_ends,omitempty" jsonschema:"$ at the end of each line"`
	ShowTabs     lenient.Bool `json:"show_tabs,omitempty" jsonschema:"Tabs as ^I"`
	SqueezeBlank lenient.Bool `json:"squeeze_blank,omitempty" jsonschema:"Runs of empty lines as one"`
	NumberLines  lenient.Bool `json:"number_lines,omitempty" jsonschema:"Each line with its number in the file"`
	ShowHeaders  lenient.Bool `json:"show_headers,omitempty" jsonschema:"A line ==> path <== before each file"`
	Offset       *lenient.Int `json:"offset,omitempty" jsonschema:"First line of each file, 0-based, default 0; negative counts from the end"`
	Limit        *lenient.Int `json:"limit,omitempty" jsonschema:"Most lines of each file, default all"`
}

type catResult struct {
	Content string    `json:"content"`
	Files   []catFile `json:"files"`
}

type catFile struct {
	Path       string `json:"path"`
	Content    string `json:"content"`
	LineCount  int    `json:"line_count"` // of the window
	Synced     bool   `json:"synced"`
	Offset     *int   `json:"offset"`
	Limit      *int   `json:"limit"`
	TotalLines *int   `json:"total_lines"`
	Extracted  bool   `json:"extracted,omitempty"`
}

func scaleCat(t *tools.Tool) tools.Binding {
	words := map[files.Why]word{files.IsFolder: {workshop.Invalid, "path", "Cannot read a folder"}}
	return tools.Bind("cat", "Show up to 20 files one after the other, with line ends, tabs and line numbers made visible if asked for. To page through one file use read.", t,
		func(_ *tools.Env, a catArgs) (out files.ConcatArgs, err error) {
			limit, err := limitOr("limit", a.Limit, 0)
			if err != nil {
				return out, err
			}
			out.Ends, out.Tabs, out.Squeeze, out.Number = bool(a.ShowEnds), bool(a.ShowTabs), bool(a.SqueezeBlank), bool(a.NumberLines)
			out.Lines = lineRange(a.Offset, nil, limit)
			out.Paths, err = several(a.Paths, maxConcat, "concatenate")
			return out, err
		},
		func(_ *tools.Env, a catArgs, reads []files.OneRead) (any, error) {
			out := catResult{}
			var sb strings.Builder
			for _, r := range inOrder(a.Paths, reads) {
				f := catFile{Path: r.path}
				if msg := r.failure(words); msg != "" {
					f.Content = "Error reading " + r.path + ": " + msg
				} else {
					c := r.Content
					f = catFile{r.path, c.Text, c.End0 - c.Start0, c.Entry.Synced, &c.Start0, a.Limit.Ptr(), &c.Total, c.Extracted}
				}
				out.Files = append(out.Files, f)
				// One newline between files, also where one ends with its own.
				if sb.Len() > 0 && !strings.HasSuffix(sb.String(), "\n") || len(out.Files) > 1 && sb.Len() == 0 {
					sb.WriteByte('\n')
				}
				if a.ShowHeaders {
					sb.WriteString("==> " + r.path + " <==\n")
				}
				sb.WriteString(f.Content)
			}
			out.Content = sb.String()
			return out, nil
		}).Worded(worded(nil))
}
