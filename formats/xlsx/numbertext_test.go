package xlsx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx"
)

func TestNumberText(t *testing.T) {
	require.Equal(t, "12.5%", xlsx.NumberText(.125, "0.0%", false))
	require.Equal(t, "2024-01-31", xlsx.NumberText(45322, "yyyy-mm-dd", false))
	require.Equal(t, "2028-02-01", xlsx.NumberText(45322, "yyyy-mm-dd", true))
	require.Equal(t, "0.3", xlsx.NumberText(.1+.2, "", false))
}
