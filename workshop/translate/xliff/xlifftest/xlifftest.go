// Package xlifftest says whether a document conforms to XLIFF 2.1: its own
// checker follows the text of the standard, and where the standard's schema is
// at hand, libxml2 checks with that too.
package xlifftest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Schema names the environment variable with the path of xliff_core_2.0.xsd as
// OASIS publishes it with XLIFF 2.1, its modules beside it.
const Schema = "ATELIER_XLIFF_XSD"

// Conforms fails the test when doc isn't a conforming XLIFF 2.1 document.
func Conforms(t testing.TB, doc []byte) {
	t.Helper()
	require.Empty(t, Problems(bytes.NewReader(doc)), "constraints of XLIFF 2.1")
	schema := os.Getenv(Schema)
	if schema == "" {
		return
	}
	cmd := exec.Command("xmllint", "--nonet", "--noout", "--schema", withModules(t, schema), "-")
	cmd.Stdin = bytes.NewReader(doc)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// withModules writes a schema that takes in the core and the modules beside it:
// the core's own lets modules pass unread.
func withModules(t testing.TB, schema string) string {
	t.Helper()
	schema, err := filepath.Abs(schema)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">`)
	for ns, file := range map[string]string{core: filepath.Base(schema), matches: "matches.xsd", glossary: "glossary.xsd", size: "size_restriction.xsd", metadata: "metadata.xsd"} {
		path := filepath.Join(filepath.Dir(schema), file)
		require.FileExists(t, path)
		fmt.Fprintf(&b, `<xs:import namespace="%s" schemaLocation="%s"/>`, ns, filepath.ToSlash(path))
	}
	b.WriteString(`</xs:schema>`)
	out := filepath.Join(t.TempDir(), "all.xsd")
	require.NoError(t, os.WriteFile(out, []byte(b.String()), 0o600))
	return out
}
