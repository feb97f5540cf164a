package all

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/internal/campaign"
)

func editorOf(t testing.TB, kind formats.Kind) formats.Editor {
	t.Helper()
	f := set.Kind(kind)
	require.NotNil(t, f)
	return f.Editor
}

// reviewCounter counts what reviews reported.
type reviewCounter struct {
	edits, differ, toldDiffs int
	aspects                  map[string][2]int // differences, reported
	parts, explained         int
	untold                   []string
}

// RV-01, RV-03: an independent reader, which knows nothing of operations, finds
// no difference between two real documents that the review does not carry.
func TestReviewIsComplete(t *testing.T) {
	full, seed := campaign.Full(), campaign.Seed()
	t.Logf("ATELIER_SEED=%d", seed)
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		t.Run(string(kind), func(t *testing.T) {
			sum := &reviewCounter{aspects: map[string][2]int{}}
			r := rand.New(rand.NewPCG(seed, uint64(len(kind))))
			for i, name := range documentsOf(t, kind) {
				file, err := os.ReadFile(name)
				require.NoError(t, err)
				if len(file) > 2<<20 || !full && len(file) > 400<<10 || i > 0 && campaign.Skips(t, i, 2) {
					continue // the oracle keeps all in memory
				}
				if _, err := opc.Open(context.Background(), formats.FromBytes(name, file)); err != nil {
					continue // encrypted or damaged: no review of it
				}
				ops := opNames(kind)
				if !full {
					r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
					ops = ops[:2]
				}
				p := placesOf(t, kind, file, r)
				for _, op := range ops {
					sum.edit(t, kind, name, file, p, op)
					if full || r.IntN(3) == 0 {
						other := opNames(kind)
						sum.edit(t, kind, name, file, p, op, other[r.IntN(len(other))])
					}
				}
			}
			sum.report(t, kind, seed)
		})
	}
}

// documentsOf are our own documents and, where there is one, the corpus.
func documentsOf(t *testing.T, kind formats.Kind) []string {
	own, err := filepath.Glob(filepath.Join(formatstest.Root(t), "testdata", "documents", "*."+string(kind)))
	require.NoError(t, err)
	return append(own, formatstest.CorpusFiles(t, string(kind)+"/*."+string(kind))...)
}

// edit applies operations to a document and compares what the review says with
// what the oracle finds.
func (s *reviewCounter) edit(t *testing.T, kind formats.Kind, name string, file []byte, p *place, names ...string) {
	var ops []json.RawMessage
	for _, n := range names {
		if op := p.op(kind, n); op != "" {
			ops = append(ops, json.RawMessage(op))
		}
	}
	if len(ops) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	src := formats.FromBytes(filepath.Base(name), file)
	_, err := editorOf(t, kind).Apply(ctx, src, &out, ops, formats.ApplyOptions{Open: s.other(t, kind)})
	if err != nil {
		return // no place for it in this document
	}
	now := formats.FromBytes(filepath.Base(name), out.Bytes())
	d, err := set.Kind(kind).Differ.Diff(ctx, src, now, formats.DiffOptions{MaxItems: 1 << 20})
	require.NoError(t, err, "%s %s", name, ops)
	s.edits++
	a, b := formatstest.OpenPackage(t, file), formatstest.OpenPackage(t, out.Bytes())
	for _, x := range differences(kind, a, b) {
		n := s.aspects[x.aspect]
		n[0]++
		s.differ++
		if told(d, kind, x) {
			n[1]++
			s.toldDiffs++
		} else if len(s.untold) < 200 {
			s.untold = append(s.untold, fmt.Sprintf("%s: %s: %s %s %s (%s) is not told; summary %q", filepath.Base(name), join(ops), x.aspect, x.place, x.cell, x.part, d.Summary))
		}
		s.aspects[x.aspect] = n
	}
	s.explain(t, ctx, src, now, d)
}

// explain counts the parts that differ and those that the review can only name.
func (s *reviewCounter) explain(t *testing.T, ctx context.Context, before, after formats.Source, d *formats.Diff) {
	a, err := opc.Open(ctx, before)
	require.NoError(t, err)
	b, err := opc.Open(ctx, after)
	require.NoError(t, err)
	differ, err := inventory.Differing(ctx, a, b)
	require.NoError(t, err)
	unexplained := 0
	for _, f := range d.Facts {
		if f.Kind == formats.FactPart && f.Warning != "" {
			unexplained++
		}
	}
	s.parts += len(differ)
	s.explained += max(0, len(differ)-unexplained)
}

func join(ops []json.RawMessage) string {
	var out []string
	for _, o := range ops {
		out = append(out, string(o))
	}
	return strings.Join(out, " ")
}

// other opens the files that operations name: a picture, and one of our own
// documents to copy from.
func (s *reviewCounter) other(t *testing.T, kind formats.Kind) func(context.Context, string) (formats.SourceCloser, error) {
	return func(_ context.Context, name string) (formats.SourceCloser, error) {
		if name == "a.png" {
			return closer{formats.FromBytes(name, dot(t))}, nil
		}
		own := map[formats.Kind]string{formats.KindXlsx: "sales.xlsx", formats.KindDocx: "contrato.docx", formats.KindPptx: "presentacion.pptx"}[kind]
		b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", own))
		if err != nil {
			return nil, err
		}
		return closer{formats.FromBytes(name, b)}, nil
	}
}

type closer struct{ formats.Source }

func (closer) Close() error { return nil }

func (s *reviewCounter) report(t *testing.T, kind formats.Kind, seed uint64) {
	kinds, whole := 0, 0
	var lacking []string
	for _, a := range slices.Sorted(maps.Keys(s.aspects)) {
		n := s.aspects[a]
		kinds++
		if n[0] == n[1] {
			whole++
		} else {
			lacking = append(lacking, fmt.Sprintf("%s %d/%d", a, n[1], n[0]))
		}
	}
	short := ""
	if len(lacking) > 0 {
		short = " (lacking: " + strings.Join(lacking, ", ") + ")"
	}
	formatstest.Report(t, "%s  review: %d edits (seed %d); differences that an independent reader finds: %d of %d told, in %d of %d kinds of change%s; parts that differ: %d of %d explained",
		kind, s.edits, seed, s.toldDiffs, s.differ, whole, kinds, short, s.explained, s.parts)
	for i, u := range s.untold {
		if i == 40 {
			break
		}
		t.Errorf("%s", u)
	}
	require.Positive(t, s.edits)
	require.Equal(t, s.differ, s.toldDiffs)
}
