package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/preview"
	"atelier/llm"
	"atelier/workshop"
)

// seeing is a rig whose model takes images.
func seeing(t *testing.T, files map[string]string) *rig {
	r := newRig(t, files)
	r.see()
	return r
}

func (r *rig) see() {
	r.cfg.Sees = func() bool { return true }
	r.cfg.Pages = preview.New(r.cfg.Formats, preview.Options{NoLibreOffice: true})
}

func imagesIn(ms []llm.Message) []llm.Image {
	var out []llm.Image
	for _, m := range ms {
		out = append(out, m.Images...)
	}
	return out
}

// A model sees the page that it asks for, also after a restart; its bytes are kept
// beside the conversation, not in it.
func TestModelLooksAtPages(t *testing.T) {
	r := seeing(t, map[string]string{"a.md": "# Title\n\nText.\n"})
	m := play(calls("render", `{"path":"a.md","pages":"1"}`), says("Fine."), says("Yes."))
	_, err := r.run(m, "How does it look?")
	require.NoError(t, err)
	list := imagesIn(m.requests[1])
	require.Len(t, list, 1)
	drawn, err := png.Decode(bytes.NewReader(list[0].Data))
	require.NoError(t, err)
	require.Equal(t, []int{list[0].Width, list[0].Height}, []int{drawn.Bounds().Dx(), drawn.Bounds().Dy()})
	require.LessOrEqual(t, max(list[0].Width, list[0].Height), 1100)
	require.Equal(t, "a.md page 1 of 1", list[0].Name)
	require.JSONEq(t, `{"path":"a.md","pages":1,"shown":["a.md page 1 of 1"]}`, r.results()[0])

	var stored []byte
	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Base(path), "conversation") && !d.IsDir() {
			b, err := os.ReadFile(path)
			stored = append(stored, b...)
			return err
		}
		return err
	}))
	require.Contains(t, string(stored), list[0].Object)
	require.Less(t, len(stored), 3000)

	_, err = r.wb.GC(t.Context(), workshop.GCOptions{})
	require.NoError(t, err)
	r.reopen()
	r.see()
	_, err = r.run(m, "Sure?")
	require.NoError(t, err)
	require.Equal(t, list, imagesIn(m.requests[2]), "the same after a restart")

	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(filepath.ToSlash(path), list[0].Object[:2]+"/"+list[0].Object[2:]) {
			require.NoError(t, os.Chmod(path, 0o600))
			return os.Remove(path)
		}
		return err
	}))
	m.replies = append(m.replies, says("Hm."))
	_, err = r.run(m, "Still?")
	require.NoError(t, err)
	require.Empty(t, imagesIn(m.requests[3]))
	require.Contains(t, fmt.Sprint(m.requests[3]), "[image not shown: a.md page 1 of 1, "+fmt.Sprintf("%d × %d", list[0].Width, list[0].Height)+" pixels; it is not kept any more")
}

// Requests carry the newest images only, and none when the window is tight.
func TestImagesAreBounded(t *testing.T) {
	r := seeing(t, map[string]string{"a.md": strings.Repeat("line\n\n", 2000)})
	var replies []reply
	for i := range 5 {
		replies = append(replies, calls("render", fmt.Sprintf(`{"path":"a.md","pages":"%d-%d"}`, 2*i+1, 2*i+2)))
	}
	m := play(append(replies, says("Fine."))...)
	_, err := r.run(m, "Look at ten pages")
	require.NoError(t, err)
	last := imagesIn(m.requests[5])
	require.Len(t, last, keepImages)
	require.Contains(t, last[0].Name, "page 3 of")
	require.Contains(t, fmt.Sprint(m.requests[5]), "newer ones are shown")

	r = seeing(t, map[string]string{"a.md": strings.Repeat("line\n\n", 2000)})
	r.cfg.Window = 24_000
	m = play(append(replies, says("Fine."))...)
	_, err = r.run(m, "Look at ten pages")
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(m.requests[len(m.requests)-1]), "left out to fit the model's window")
	require.NotEmpty(t, params[ContextCompacted](r.events))
}

// For a model that takes no images nothing is drawn, and the result says so.
func TestBlindModelIsTold(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "x"})
	r.cfg.Pages = preview.New(r.cfg.Formats, preview.Options{NoLibreOffice: true})
	m := play(calls("render", `{"path":"a.md"}`), says("Fine."))
	_, err := r.run(m, "Look")
	require.NoError(t, err)
	require.Empty(t, imagesIn(m.requests[1]))
	require.Contains(t, r.results()[0], "nothing was drawn: images are given only to a model that takes images")
}

// The published side is drawn without the draft, and is kept from the model as the draft
// is.
func TestModelLooksAtThePublishedSide(t *testing.T) {
	r := seeing(t, map[string]string{"a.md": "one page\n", "key.pem": "-----BEGIN PRIVATE KEY-----"})
	long, err := json.Marshal(strings.Repeat("line\n", 200))
	require.NoError(t, err)
	m := play(calls("write_text_file", `{"path":"a.md","content":`+string(long)+`}`),
		calls("render", `{"path":"a.md"}`), calls("render", `{"path":"a.md","side":"published"}`),
		calls("render", `{"path":"key.pem","side":"published"}`), calls("render", `{"path":"a.md","side":"left"}`), says("Fine."))
	_, err = r.run(m, "Compare")
	require.NoError(t, err)
	list := imagesIn(m.requests[5])
	require.Len(t, list, 2)
	require.Regexp(t, `^a\.md page 1 of [2-9]$`, list[0].Name)
	require.Equal(t, "published a.md page 1 of 1", list[1].Name)
	res := r.results()
	require.Contains(t, res[3], "Error: ")
	require.Contains(t, res[3], "is not given to the model")
	require.Contains(t, res[4], "invalid side: left")
	published := r.records()[len(r.records())-6]
	require.Contains(t, fmt.Sprint(published.Metadata["sources"]), "a.md")
}
