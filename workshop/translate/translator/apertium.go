package translator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"atelier/workshop"
)

// Apertium is the rule-based translator of that name (apertium.org), when it is
// installed: it needs no network. Its pipelines of a dozen programs are started
// once for each worker and fed segment after segment.
type Apertium struct {
	modes   string // folder of *.mode
	pairs   []apertiumPair
	wrapper string // apertium-wblank-mode

	mu   sync.Mutex
	idle map[string][]*pipeline // by mode
}

// apertiumPair is an installed direction, such as eng-spa.
type apertiumPair struct {
	mode     string
	from, to language.Tag
}

// NewApertium finds the installation and its language pairs.
func NewApertium(ctx context.Context) (*Apertium, error) {
	bin, err := exec.LookPath("apertium")
	if err != nil {
		return nil, workshop.Faultf(workshop.NotFound, "apertium is not installed: install it with a language pair (on Debian: apt install apertium apertium-eng-spa), or use another engine").OnField("engine")
	}
	wrapper, err := exec.LookPath("apertium-wblank-mode")
	if err != nil {
		return nil, workshop.Faultf(workshop.NotFound, "the apertium that is installed is too old: version 3.8 or newer is needed").OnField("engine")
	}
	data := os.Getenv("APERTIUM_DATADIR")
	if data == "" {
		data = filepath.Join(filepath.Dir(filepath.Dir(bin)), "share", "apertium")
	}
	a := &Apertium{modes: filepath.Join(data, "modes"), wrapper: wrapper, idle: map[string][]*pipeline{}}
	out, err := exec.CommandContext(ctx, bin, "-l").Output()
	if err != nil {
		return nil, fmt.Errorf("apertium -l fails: %w", err)
	}
	a.pairs = pairsOf(string(out))
	return a, nil
}

// pairsOf reads the list of directions. Apertium names languages by three
// letters (ISO 639-3), some by two, and variants after a low line: spa-eng_US.
// What is not a pair of languages is left out.
func pairsOf(list string) []apertiumPair {
	var out []apertiumPair
	for _, mode := range strings.Fields(list) {
		from, to, ok := strings.Cut(mode, "-")
		f, ferr := language.Parse(strings.ReplaceAll(from, "_", "-"))
		t, terr := language.Parse(strings.ReplaceAll(to, "_", "-"))
		if ok && ferr == nil && terr == nil {
			out = append(out, apertiumPair{mode, f, t})
		}
	}
	return out
}

// Name is "apertium".
func (a *Apertium) Name() string { return "apertium" }

// Size of a batch bounds what is lost when a job is stopped.
func (a *Apertium) Size() Size { return Size{Segments: 200, Chars: 40_000} }

// Check says whether a direction is installed, so that a job can be refused
// before it begins.
func (a *Apertium) Check(from, to string) error {
	_, err := a.mode(from, to)
	return err
}

func (a *Apertium) mode(from, to string) (string, error) {
	if from == "" {
		return "", workshop.Faultf(workshop.Invalid, "apertium has to be told the language of the originals: give --from").OnField("from")
	}
	best, rank := "", 0
	for _, p := range a.pairs {
		if n := likeness(p.from, from) * likeness(p.to, to); n > rank {
			best, rank = p.mode, n
		}
	}
	if best != "" {
		return best, nil
	}
	var have []string
	for _, p := range a.pairs {
		have = append(have, LanguageName(p.from.String())+" to "+LanguageName(p.to.String()))
	}
	if len(have) == 0 {
		have = []string{"none"}
	}
	return "", workshop.Faultf(workshop.NotFound, "apertium has no translation from %s to %s installed; it has: %s", LanguageName(from), LanguageName(to), strings.Join(have, ", ")).OnField("to")
}

// likeness is how well an installed language serves the one asked for: 3 the
// same, 2 where one of them names no region, 1 another region, 0 not at all.
func likeness(have language.Tag, asked string) int {
	want, err := language.Parse(asked)
	if err != nil {
		return 0
	}
	hb, _ := have.Base()
	wb, _ := want.Base()
	_, _, hr := have.Raw()
	_, _, wr := want.Raw()
	switch none := (language.Region{}); {
	case hb != wb:
		return 0
	case hr == wr:
		return 3
	case hr == none || wr == none:
		return 2
	}
	return 1
}

// apertiumTime is how long one segment may take.
const apertiumTime = 30 * time.Second

// Translate implements Engine. A segment on which the pipeline dies or hangs is
// left out; the pipeline is started anew for the others.
func (a *Apertium) Translate(ctx context.Context, b Batch, accept func(id, target string) error) (Usage, error) {
	mode, err := a.mode(b.From, b.To)
	if err != nil {
		return Usage{}, err
	}
	var p *pipeline
	defer func() { a.put(mode, p) }()
	died := 0
	for _, s := range b.Segments {
		if err := ctx.Err(); err != nil {
			return Usage{}, err
		}
		if p == nil {
			if p, err = a.take(ctx, mode); err != nil {
				return Usage{}, err
			}
		}
		out, err := p.ask(ctx, encode(s.Text, s.Keep))
		if err != nil {
			p.end()
			p = nil
			if died++; died > 3 {
				return Usage{}, fmt.Errorf("apertium %s ends again and again: %w", mode, err)
			}
			continue
		}
		// The reason of a refusal doesn't help a translator by rules.
		_ = accept(s.ID, decode(s.Text, out))
	}
	return Usage{}, nil
}

func (a *Apertium) take(ctx context.Context, mode string) (*pipeline, error) {
	a.mu.Lock()
	if list := a.idle[mode]; len(list) > 0 {
		p := list[len(list)-1]
		a.idle[mode] = list[:len(list)-1]
		a.mu.Unlock()
		return p, nil
	}
	a.mu.Unlock()
	script, err := exec.CommandContext(ctx, a.wrapper, "-z", filepath.Join(a.modes, mode+".mode")).Output()
	if err != nil {
		return nil, fmt.Errorf("apertium %s cannot be started: %w", mode, err)
	}
	return startPipeline(string(script))
}

func (a *Apertium) put(mode string, p *pipeline) {
	if p == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.idle[mode] = append(a.idle[mode], p)
}

// Close ends the pipelines. The engine may be used again after it.
func (a *Apertium) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for mode, list := range a.idle {
		for _, p := range list {
			p.end()
		}
		delete(a.idle, mode)
	}
	return nil
}

// Pairs lists the directions that are installed, as pairs of language codes.
func (a *Apertium) Pairs() [][2]string {
	out := make([][2]string, len(a.pairs))
	for i, p := range a.pairs {
		out[i] = [2]string{p.from.String(), p.to.String()}
	}
	return out
}
