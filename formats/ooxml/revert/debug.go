package revert

import (
	"fmt"
	"os"
)

func (p *Plan) debug(i int, e effect) {
	if os.Getenv("REVERT_DEBUG") == "" {
		return
	}
	u := p.units[i]
	s := ""
	for _, sp := range u.splices {
		s += fmt.Sprintf(" [%d:%d]←%.80q", sp.Start, sp.End, sp.New)
	}
	fmt.Printf("  unit %d %s whole=%v rel=%v%.300s → gone %v fresh %d failed %v\n", i, u.part, u.whole, u.rel, s, e.gone, e.fresh, e.failed)
}
