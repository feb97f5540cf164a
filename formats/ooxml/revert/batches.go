package revert

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// fewUnits are tried one by one.
	fewUnits = 6
	// maxRounds bounds how often units that cannot go back by themselves are set apart.
	maxRounds = 3
)

// effects finds what each unit does alone, with fewer comparisons than units. Each
// unit goes back in half of the trials, in other ones than any other unit, so that the
// trials after which a change is gone name its unit. Two units of which one needs the other are
// told apart by a trial with one of them alone. Units that every trial with them shows
// as not going back by themselves are tried one by one, and the others anew.
func (p *Plan) effects(ctx context.Context) ([]effect, error) {
	out := make([]effect, len(p.units))
	active := make([]int, len(p.units))
	for i := range active {
		active[i] = i
	}
	for range maxRounds {
		if p.exhaustive || len(active) <= fewUnits {
			break
		}
		codes := sperner(len(active))
		trials, err := p.tryBatches(ctx, active, codes)
		if err != nil {
			return nil, err
		}
		suspects := suspected(codes, trials)
		if suspects == nil && !slices.ContainsFunc(trials, func(e effect) bool { return !e.clean() }) {
			return out, p.attribute(ctx, out, active, codes, trials)
		}
		if len(suspects) == 0 || 2*len(suspects) > len(active) {
			break
		}
		apart := make([]int, len(suspects))
		for i, k := range suspects {
			apart[i] = active[k]
		}
		if err := p.tryEach(ctx, out, apart); err != nil {
			return nil, err
		}
		active = slices.DeleteFunc(active, func(u int) bool { return slices.Contains(apart, u) })
	}
	return out, p.tryEach(ctx, out, active)
}

// sperner returns n sets of trials, as bits, none of which is part of another one.
func sperner(n int) []uint32 {
	size := 2
	for binomial(size, size/2) < n {
		size++
	}
	var out []uint32
	for set := uint32(0); len(out) < n; set++ {
		if bits.OnesCount32(set) == size/2 {
			out = append(out, set)
		}
	}
	return out
}

// binomial returns how many sets of k members n have.
func binomial(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}

// tryBatches makes the trials of codes.
func (p *Plan) tryBatches(ctx context.Context, active []int, codes []uint32) ([]effect, error) {
	var batches [][]int
	for k, code := range codes {
		for len(batches) < bits.Len32(code) {
			batches = append(batches, nil)
		}
		for j := range batches {
			if code&(1<<j) != 0 {
				batches[j] = append(batches[j], active[k])
			}
		}
	}
	out := make([]effect, len(batches))
	return out, p.tryParallel(ctx, len(batches), func(i int) []int { return batches[i] }, func(i int, e effect) { out[i] = e })
}

// tryEach tries units one by one.
func (p *Plan) tryEach(ctx context.Context, out []effect, units []int) error {
	return p.tryParallel(ctx, len(units), func(i int) []int { return units[i : i+1] }, func(i int, e effect) { out[units[i]] = e })
}

func (p *Plan) tryParallel(ctx context.Context, n int, units func(i int) []int, done func(i int, e effect)) error {
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelTrials)
	for i := range n {
		g.Go(func() error {
			e, _, err := p.try(gctx, units(i), nil)
			mu.Lock()
			defer mu.Unlock()
			done(i, e)
			p.trials++
			return err
		})
	}
	return g.Wait()
}

// suspected returns the places in codes of the units that no clean trial had.
func suspected(codes []uint32, trials []effect) (out []int) {
	var clean uint32
	for j, e := range trials {
		if e.clean() {
			clean |= 1 << j
		}
	}
	for k, code := range codes {
		if code&clean == 0 {
			out = append(out, k)
		}
	}
	return out
}

// attribute finds the unit of each change: that which went back in the trials after
// which the change was gone. Where several may be, these are tried one by one.
func (p *Plan) attribute(ctx context.Context, out []effect, active []int, codes []uint32, trials []effect) error {
	gone := map[string]uint32{}
	for j, e := range trials {
		for _, id := range e.gone {
			gone[id] |= 1 << j
		}
	}
	place := make(map[uint32]int, len(codes))
	for k, code := range codes {
		place[code] = k
	}
	alone := map[int]bool{} // units that are tried one by one
	for _, c := range p.base {
		set := gone[c.id]
		if k, ok := place[set]; ok {
			out[active[k]].gone = append(out[active[k]].gone, c.id)
			continue
		}
		for k, code := range codes {
			if set != 0 && code&^set == 0 {
				alone[active[k]] = true
			}
		}
	}
	var units []int
	for u := range alone {
		units = append(units, u)
	}
	slices.Sort(units)
	return p.tryEach(ctx, out, units)
}
