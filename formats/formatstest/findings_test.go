package formatstest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A finding that the original has in any part is not a new one.
func TestNewFindings(t *testing.T) {
	had := []string{"E xsd word/document.xml: element a: not expected", "E rel word/b.xml: dangling"}
	require.Equal(t, []string{"E xsd word/document.xml: element b: not expected", "E opc word/b.xml: dangling"},
		newFindings([]string{
			"E xsd word/header1.xml: element a: not expected",
			"E xsd word/document.xml: element b: not expected",
			"E rel word/c.xml: dangling",
			"E opc word/b.xml: dangling",
		}, had))
}
