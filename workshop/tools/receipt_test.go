package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReceipts(t *testing.T) { // V-02
	const end = "; the whole is recall_tool_result entry_id 7]"
	got, ok := Receipt(strings.Repeat("x", receiptFrom), 7)
	require.False(t, ok)
	require.Len(t, got, receiptFrom)

	var text, long []string
	var items, rows []any
	for i := range 300 {
		text = append(text, fmt.Sprintf("line %d", i+1))
		long = append(long, strings.Repeat("é", 400))
		items = append(items, map[string]any{"path": fmt.Sprintf("f%d.txt", i), "size": i})
		rows = append(rows, []any{i, "Ana"})
	}
	got, ok = Receipt(strings.Join(text, "\n")+"\n", 7)
	require.True(t, ok)
	require.Equal(t, strings.Join(text[:20], "\n")+"\n[first 20 of 300 lines"+end, got)

	list, err := json.Marshal(items)
	require.NoError(t, err)
	got, _ = Receipt(string(list), 7)
	require.Equal(t, `[{"path":"f0.txt","size":0},{"path":"f1.txt","size":1},{"path":"f2.txt","size":2},{"path":"f3.txt","size":3},{"path":"f4.txt","size":4}]`+"\n[first 5 of 300 items"+end, got)

	table, err := json.Marshal(map[string]any{"columns": []string{"n", "name"}, "rows": rows})
	require.NoError(t, err)
	got, _ = Receipt(string(table), 7)
	require.Equal(t, `{"row_count":300,"columns":["n","name"],"rows":[[0,"Ana"],[1,"Ana"],[2,"Ana"],[3,"Ana"],[4,"Ana"]]}`+"\n[first 5 of 300 rows"+end, got)

	got, _ = Receipt(strings.Join(long, "\n"), 7)
	require.LessOrEqual(t, len(got), receiptMax)
	require.True(t, strings.HasSuffix(got, end))
	require.NotContains(t, got, "\ufffd")
}
