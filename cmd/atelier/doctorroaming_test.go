package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Doctor says where a data folder of an older version on Windows belongs, and that one
// beside the folder in use is not used.
func TestDoctorRoamingDataFolder(t *testing.T) {
	for _, c := range []struct{ used, roaming, local, want string }{
		{"L", "", "L", ""},
		{"R", "R", "L", "move R to L"},
		{"L", "R", "L", "R of an older version is there too"},
		{"other", "R", "L", ""}, // --home
		{"R", "R", "", ""},
	} {
		var out bytes.Buffer
		d := doctor{out: &out}
		d.roaming(c.used, func() (string, string) { return c.roaming, c.local })
		if c.want == "" {
			require.Empty(t, out.String(), "%v", c)
		} else {
			require.Contains(t, out.String(), c.want)
		}
		require.False(t, d.failed)
	}
}
