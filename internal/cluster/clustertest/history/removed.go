package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// checkUnlisted checks the operations of a file that may be removed and made again.
func checkUnlisted(name string, ops []Op) []string {
	var all []porcupine.Operation
	for _, o := range ops {
		if o.Outcome == Unknown {
			if o.Kind == Get {
				continue
			}
			o.Ended = math.MaxInt64
		}
		all = append(all, porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Began, Return: o.Ended})
	}
	return checked(name, removable.ToModel(), all, func() string {
		of := slices.SortedFunc(slices.Values(ops), func(a, b Op) int { return int(a.Began - b.Began) })
		lines := make([]string, len(of))
		for i, o := range of {
			lines[i] = o.String()
		}
		return fmt.Sprintf(":\n%s", strings.Join(lines, "\n"))
	})
}

// removable is a file whose state is its value, "" if there is none.
var removable = porcupine.NondeterministicModel{
	Init: func() []any { return []any{""} },
	Step: func(state, input, _ any) []any {
		value, o := state.(string), input.(Op)
		var fits bool
		becomes := o.Value
		switch o.Kind {
		case Get:
			fits, becomes = value == o.Value, value
		case Put:
			fits = true
		case Create:
			fits = value == ""
		case Swap:
			fits = value == o.Base
		case Remove:
			fits, becomes = value != "", ""
		}
		switch {
		case o.Outcome == Refused && !fits, o.Outcome == Unknown && !fits:
			return []any{value}
		case o.Outcome == Unknown: // it may never be done
			return []any{value, becomes}
		case o.Outcome == Done && fits:
			return []any{becomes}
		}
		return nil
	},
	Equal: func(a, b any) bool { return a == b },
}
