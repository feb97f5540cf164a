package agent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A model reads the steps of common work, in a small window too.
func TestModelsReadSkills(t *testing.T) {
	for _, window := range []int{0, 8_000} {
		r := newRig(t, map[string]string{"a.csv": "k\n1\n"})
		r.cfg.Window, r.cfg.Tools = window, ""
		m := play(calls("read_skill", `{"name":"reconcile"}`), says("ok"))
		_, err := r.run(m, "Reconcile a and b")
		require.NoError(t, err)
		require.Contains(t, r.results()[0], "table_describe both")
		for _, tool := range m.tools {
			if tool.Function.Name == "read_skill" {
				require.Contains(t, tool.Function.Description, "clean, deck, reconcile, redline, report, template, translate", "the names are whole in short too")
			}
		}
	}
}
