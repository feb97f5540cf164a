// Package xlifftest checks whether a document conforms to XLIFF 2.1 or 1.2.
// Its own checker implements the text of the standard. If the standard's
// schema is installed, libxml2 validates against it too.
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

// Schema is the environment variable with the path of xliff_core_2.0.xsd as
// OASIS publishes it with XLIFF 2.1, with its modules in the same folder.
const Schema = "ATELIER_XLIFF_XSD"

// OldSchema is the environment variable with the path of
// xliff-core-1.2-strict.xsd, with xml.xsd in the same folder. Without it the
// files of Debian's php-symfony-translation are used.
const OldSchema = "ATELIER_XLIFF12_XSD"

const debianSchema = "/usr/share/php/Symfony/Component/Translation/Resources/schemas/xliff-core-1.2-strict.xsd"

// Conforms fails the test if doc does not conform to XLIFF 2.1, or to 1.2 if
// it is such a document.
func Conforms(t testing.TB, doc []byte) {
	t.Helper()
	require.Empty(t, Problems(bytes.NewReader(doc)), "constraints of XLIFF")
	schema := ""
	if bytes.Contains(doc[:min(len(doc), 500)], []byte(`"`+old+`"`)) {
		schema = oldSchema(t)
	} else if schema = os.Getenv(Schema); schema != "" {
		schema = withModules(t, schema)
	}
	if schema == "" {
		return
	}
	cmd := exec.Command("xmllint", "--nonet", "--noout", "--huge", "--schema", schema, "-")
	cmd.Stdin = bytes.NewReader(doc)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
}

// oldSchema returns the path of the schema of 1.2, or "". The schema refers
// to xml.xsd on the web, so a copy is made that refers to the file.
func oldSchema(t testing.TB) string {
	t.Helper()
	path := os.Getenv(OldSchema)
	if path == "" {
		if path = debianSchema; !exists(path) || !exists("xmllint") {
			return ""
		}
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	beside := filepath.ToSlash(filepath.Join(filepath.Dir(path), "xml.xsd"))
	require.FileExists(t, beside)
	out := filepath.Join(t.TempDir(), "strict.xsd")
	require.NoError(t, os.WriteFile(out, bytes.ReplaceAll(b, []byte("http://www.w3.org/2001/xml.xsd"), []byte(beside)), 0o600))
	return out
}

// exists reports whether there is a file, or a program, with that name.
func exists(name string) bool {
	if filepath.IsAbs(name) {
		_, err := os.Stat(name)
		return err == nil
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// withModules writes a schema that imports the core and the modules, because
// the core schema alone does not validate modules.
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
