package catalogue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// S-24, A-19: the companions of read, on both views.
func TestS24Companions(t *testing.T) {
	bothViews(t, "sila", map[string]string{"assets/a b.md": "x", "files/n.md": "n"}, func(t *testing.T, p *profile) {
		for _, c := range []struct{ tool, args, want string }{
			{"ls", `{"uri":"file:///"}`, `[{"name":"assets","uri":"file:///assets","type":"folder"},{"name":"files","uri":"file:///files","type":"folder"}]`},
			{"ls", `{"uri":"file:"}`, `[{"name":"n.md","uri":"file:///files/n.md","type":"file","size":1,"mime_type":"text/markdown"}]`},
			{"ls", `{"uri":"file:///assets"}`, `[{"name":"a b.md","uri":"file:///assets/a b.md","type":"file","size":1,"mime_type":"text/markdown"}]`},
			{"mkdir", `{"uri":"file:///new%20one/deep"}`, "Created folder file:///new one/deep"},
			{"write_to_file", `{"path":"file:///new one/deep/c.md","content":"ü"}`, "Wrote 2 bytes to file:///new one/deep/c.md"},
			{"write_to_file", `{"path":"notes/d.md","content":"d"}`, "Wrote 1 bytes to file:///files/notes/d.md"},
			{"read", `{"uri":"file:notes/d.md"}`, "d"},
			{"move", `{"source":"file:///assets/a%20b.md","destination":"file:renamed.md"}`, "Moved file:///assets/a b.md to file:///files/renamed.md"},
			{"move", `{"source":"file:renamed.md","destination":"file:///assets"}`, "Moved file:///files/renamed.md to file:///assets/renamed.md"},
			{"rm", `{"uri":"file:n.md"}`, "Removed file:///files/n.md"},
			{"rm", `{"uri":"file:n.md"}`, "Error: "},
			{"rm", `{"uri":"file:///"}`, "Error: "},
			{"rm", `{"uri":"file:///assets"}`, "Error: "},
			{"ls", `{"uri":"file:///none"}`, "Error: "},
			{"ls", `{"uri":"https://example.com"}`, "Error: only file: URIs"},
			{"ls", `{}`, "Error: Invalid URI, needs to be a string"},
			{"mkdir", `{"uri":"file:///a/../b"}`, "Error: .. cannot be the name of a file"},
			{"mkdir", `{"uri":"file:///a/%2e%2e/b"}`, "Error: %2e%2e cannot be the name of a file"},
			{"mkdir", `{"uri":"file:///a%2fb"}`, "Error: a%2fb cannot be the name of a file"},
			{"mkdir", `{"uri":"file:///.atelier/x"}`, "Error: SANDBOX_VIOLATION"},
			{"write_to_file", `{"path":"../../x","content":"x"}`, "Error: .. cannot be the name of a file"},
			{"write_to_file", `{"path":"","content":"x"}`, "Error: "},
			{"write_to_file", `{"path":"file:///x.docx","content":"x"}`, "Error: x.docx is a docx file"},
			{"write_to_file", `{"path":"file://host/x","content":"x"}`, "Error: Invalid URI"},
			{"move", `{"source":"file:none","destination":"file:x"}`, "Error: "},
		} {
			r := p.call(c.tool, c.args)
			if strings.HasPrefix(c.want, "Error: ") {
				assert.False(t, r.Success, "%s %s: %s", c.tool, c.args, r.Text)
				assert.True(t, strings.HasPrefix(r.Text, c.want), "%s %s: %s", c.tool, c.args, r.Text)
				continue
			}
			assert.Equal(t, c.want, r.Text, "%s %s", c.tool, c.args)
		}
		assert.Equal(t, "ü", p.text("new one/deep/c.md"))
		assert.Equal(t, "x", p.text("assets/renamed.md"))
		p.env.Session = nil
		assert.Contains(t, p.call("ls", `{"uri":"file:"}`).Text, "no chat context")
	})
}
