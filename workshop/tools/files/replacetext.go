package files

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// ReplaceArgs are the arguments of replace_text.
type ReplaceArgs struct {
	Path            workshop.Path
	Search, Replace string
	// Regexp: Search is a regular expression, matched inside each line; Replace may
	// name its groups as $1 or ${name}.
	Regexp bool
	// Expect, when not nil, is how many places there must be.
	Expect *int
	// Literal writes lines that only Atelier writes, too.
	Literal bool
}

// Replaced is the result of replace_text.
type Replaced struct {
	Entry workshop.Entry
	Hits  int
	Lines []int // 1-based, of the first hits, each once
	More  bool  // further lines have hits
}

// hitLines is how many lines Replaced names.
const hitLines = 10

// ReplaceText replaces text everywhere in a text file of any size. Its encoding,
// byte order mark, line ends and all other bytes stay.
func ReplaceText() *tools.Tool {
	return tools.New("replace_text", "Replace text everywhere in a text file.", tools.Write,
		func(ctx context.Context, env *tools.Env, a ReplaceArgs) (any, error) {
			r, err := newReplacer(a)
			if err != nil {
				return nil, err
			}
			var out Replaced
			out.Entry, err = rewrite(ctx, env, a.Path, func(f longFile) (func(io.Writer) error, error) {
				found, err := r.survey(f, a)
				if err != nil {
					return nil, err
				}
				out.Hits, out.Lines, out.More = found.hits, found.lines, found.more
				return func(w io.Writer) error { return r.replace(f.text(), w, &hits{}) }, nil
			})
			return out, err
		}).GuardsItself()
}

// replacer replaces text in a stream. survey sets what it searches and writes.
type replacer struct {
	re   *regexp.Regexp // nil: find is searched
	find []byte
	with []byte
}

func newReplacer(a ReplaceArgs) (*replacer, error) {
	if a.Search == "" {
		return nil, invalid("search", "Search string cannot be empty")
	}
	if !a.Regexp {
		return &replacer{}, nil
	}
	re, err := regexp.Compile(a.Search)
	if err != nil {
		return nil, invalid("search", "search is not a regular expression: %v", err)
	}
	return &replacer{re: re}, nil
}

// hits counts the places that were replaced.
type hits struct {
	hits  int
	lines []int
	more  bool
}

func (h *hits) add(line int) {
	h.hits++
	switch n := len(h.lines); {
	case n > 0 && h.lines[n-1] == line:
	case n == hitLines:
		h.more = true
	default:
		h.lines = append(h.lines, line)
	}
}

// onLines says where hits are: "on line 3", "on lines 3, 9 and further ones".
func (h *hits) onLines() string { return OnLines(h.lines, h.more) }

// OnLines names lines in a sentence.
func OnLines(lines []int, more bool) string {
	if len(lines) == 1 && !more {
		return fmt.Sprintf("on line %d", lines[0])
	}
	said := strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]")
	if more {
		said += " and further ones"
	}
	return "on lines " + said
}

// survey counts what will be replaced and settles the line ends: those of the new
// text are the file's, and so are those of the searched one where it is not found
// as it is written.
func (r *replacer) survey(f longFile, a ReplaceArgs) (*hits, error) {
	ends := &endCounter{}
	found := &hits{}
	r.with = []byte(a.Replace)
	if r.re == nil {
		r.find = []byte(a.Search)
	}
	if err := r.replace(io.TeeReader(f.text(), ends), io.Discard, found); err != nil {
		return nil, err
	}
	if ends.usesCRLF() {
		r.with = []byte(withCRLF(a.Replace))
		if crlf := withCRLF(a.Search); found.hits == 0 && r.re == nil && crlf != a.Search {
			r.find = []byte(crlf)
			if err := r.replace(f.text(), io.Discard, found); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case found.hits == 0 && (a.Expect == nil || *a.Expect != 0):
		hint := ""
		if r.re == nil {
			hint = "; read the lines to see how they are written"
		} else if strings.Contains(a.Search, `\n`) {
			hint = "; a regular expression is matched inside each line, so it finds no line end: search without regex for text of several lines"
		}
		return nil, invalid("search", "%s was not found in %s%s", quoted(a.Search), f.entry.Path, hint)
	case a.Expect != nil && found.hits != *a.Expect:
		return nil, invalid("expect", "%s is in %s %d times, %s, not %d times; nothing was changed", quoted(a.Search), f.entry.Path, found.hits, found.onLines(), *a.Expect)
	case a.Literal:
		return found, nil
	}
	return found, refuseNewMarks(f, a.Replace, "replace")
}

func quoted(s string) string { return fmt.Sprintf("%q", textclip.Head(s, 100)) }

// replace copies a text with the replacements made.
func (r *replacer) replace(in io.Reader, w io.Writer, h *hits) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var err error
	if r.re != nil {
		err = r.replaceInLines(in, out, h)
	} else {
		err = r.replaceLiteral(in, out, h)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// replaceLiteral holds no more of the text than a chunk and the searched text.
func (r *replacer) replaceLiteral(in io.Reader, out *bufio.Writer, h *hits) error {
	buf := make([]byte, 0, max(256<<10, 4*len(r.find)))
	line := 1
	copied := func(b []byte) error {
		line += bytes.Count(b, []byte{'\n'})
		_, err := out.Write(b)
		return err
	}
	for {
		n, rerr := in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if rerr != nil && rerr != io.EOF {
			return rerr
		}
		rest := buf
		for {
			i := bytes.Index(rest, r.find)
			if i < 0 {
				break
			}
			if err := copied(rest[:i]); err != nil {
				return err
			}
			h.add(line)
			line += bytes.Count(r.find, []byte{'\n'})
			if _, err := out.Write(r.with); err != nil {
				return err
			}
			rest = rest[i+len(r.find):]
		}
		keep := min(len(rest), len(r.find)-1) // may begin what is searched
		if rerr == io.EOF {
			keep = 0
		}
		if err := copied(rest[:len(rest)-keep]); err != nil {
			return err
		}
		if rerr == io.EOF {
			return nil
		}
		buf = buf[:copy(buf, rest[len(rest)-keep:])]
	}
}

func (r *replacer) replaceInLines(in io.Reader, out *bufio.Writer, h *hits) error {
	var made []byte
	return eachLine(in, func(n int, line []byte, end string) error {
		matches := r.re.FindAllSubmatchIndex(line, -1)
		made = made[:0]
		at := 0
		for _, m := range matches {
			h.add(n)
			made = r.re.Expand(append(made, line[at:m[0]]...), r.with, line, m)
			at = m[1]
		}
		if _, err := out.Write(append(made, line[at:]...)); err != nil {
			return err
		}
		_, err := out.WriteString(end)
		return err
	})
}

// maxLine is the longest line that is held, in bytes.
const maxLine = 4 << 20

// eachLine gives the lines of a text with their numbers, 1-based, and their
// ends. A line that is too long to hold is an error.
func eachLine(r io.Reader, f func(n int, line []byte, end string) error) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var held []byte
	for n := 1; ; n++ {
		held = held[:0]
		var err error
		for {
			var b []byte
			b, err = br.ReadSlice('\n')
			if len(held)+len(b) > maxLine {
				return invalid("search", "line %d has more than %d bytes, too many for a regular expression; search without regex", n, maxLine)
			}
			held = append(held, b...)
			if err != bufio.ErrBufferFull {
				break
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF && len(held) == 0 {
			return nil
		}
		line, end := held, ""
		if err == nil {
			line, end = held[:len(held)-1], "\n"
			if bytes.HasSuffix(line, []byte{'\r'}) {
				line, end = line[:len(line)-1], "\r\n"
			}
		}
		if ferr := f(n, line, end); ferr != nil || err == io.EOF {
			return ferr
		}
	}
}

// endCounter counts the line ends of a text that is written to it.
type endCounter struct {
	lf, crlf int
	last     byte
}

func (c *endCounter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	c.lf += bytes.Count(b, []byte{'\n'})
	c.crlf += bytes.Count(b, []byte("\r\n"))
	if c.last == '\r' && b[0] == '\n' {
		c.crlf++
	}
	c.last = b[len(b)-1]
	return len(b), nil
}

// usesCRLF is the rule of the function of that name.
func (c *endCounter) usesCRLF() bool { return c.crlf > 0 && 2*c.crlf > c.lf }
