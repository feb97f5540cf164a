package all

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/revert"
	"atelier/internal/campaign"
)

func TestRevertChanges(t *testing.T) {
	full, seed := campaign.Full(), campaign.Seed()
	t.Logf("ATELIER_SEED=%d", seed)
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		t.Run(string(kind), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, uint64(len(kind))))
			for i, name := range documentsOf(t, kind) {
				file, err := os.ReadFile(name)
				require.NoError(t, err)
				if len(file) > 2<<20 || !full && len(file) > 400<<10 || i > 0 && campaign.Skips(t, i, 8) {
					continue
				}
				if _, err := opc.Open(context.Background(), formats.FromBytes(name, file)); err != nil {
					continue
				}
				ops := opNames(kind)
				r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
				revertSome(t, kind, name, file, placesOf(t, kind, file, r), r, ops)
			}
		})
	}
}

func revertSome(t *testing.T, kind formats.Kind, name string, file []byte, p *place, r *rand.Rand, names []string) {
	s := &reviewCounter{}
	now, done := file, []string{}
	for _, n := range names {
		op := p.op(kind, n)
		if op == "" {
			continue
		}
		var out bytes.Buffer
		if _, err := editorOf(t, kind).Apply(context.Background(), formats.FromBytes(filepath.Base(name), now), &out, []json.RawMessage{json.RawMessage(op)}, formats.ApplyOptions{Open: s.other(t, kind)}); err != nil {
			continue
		}
		if now, done = out.Bytes(), append(done, op); len(done) == 4 {
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	begin := time.Now()
	plan, err := revert.NewPlan(ctx, set.Kind(kind), formats.FromBytes(filepath.Base(name), file), formats.FromBytes(filepath.Base(name), now))
	if err != nil {
		t.Logf("%s: %v", filepath.Base(name), err)
		return
	}
	n := 0
	for _, g := range plan.Groups {
		n += len(g.IDs)
	}
	fmt.Printf("%s: %d ops, %d groups, %d ids, %d rest, %v\n", filepath.Base(name), len(done), len(plan.Groups), n, len(plan.Rest), time.Since(begin))
	if len(plan.Rest) > 0 {
		d, _ := set.Kind(kind).Differ.Diff(ctx, formats.FromBytes("a", file), formats.FromBytes("b", now), formats.DiffOptions{MaxItems: 5001})
		d.Identify()
		for _, o := range done {
			fmt.Println("   op", o)
		}
		for _, g := range d.Groups {
			for _, it := range g.Items {
				fmt.Println("  ", inGroup(plan, it.ID), it.Change, it.At, fmt.Sprintf("%.40q %.40q", it.Old, it.New), it.Notes)
			}
		}
		for _, f := range d.Facts {
			fmt.Println("  ", inGroup(plan, f.ID), f.Kind, f.Change, f.At, fmt.Sprintf("%.40q %.40q", f.Old, f.New))
		}
	}
}

func inGroup(p *revert.Plan, id string) string {
	for i, g := range p.Groups {
		for _, x := range g.IDs {
			if x == id {
				return fmt.Sprint("group ", i)
			}
		}
	}
	return "REST"
}

var _ = formatstest.Root
