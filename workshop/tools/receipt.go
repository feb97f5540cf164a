package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/internal/textclip"
)

// The bounds of receipts (V-02).
const (
	receiptFrom  = 2048 // bytes; shorter results are their own receipt
	receiptLines = 20
	receiptItems = 5
	receiptMax   = 2048 // bytes
)

// Receipt returns what stands for a long tool result of which the whole is entry
// number entry of the tool log: the first 20 lines of a text, the first 5 items
// of a list, and of a table the number of its rows, its columns and first 5
// rows. It ends with the entry. ok is false when the result is short enough to
// stand for itself.
func Receipt(result string, entry int64) (receipt string, ok bool) {
	if len(result) <= receiptFrom {
		return result, false
	}
	head, more := abridged(result)
	note := fmt.Sprintf("\n[%s; the whole is recall_tool_result entry_id %d]", more, entry)
	return textclip.Bytes(head, receiptMax-len(note)) + note, true
}

// abridged gives the beginning of a result and says what of it that is.
func abridged(result string) (head, what string) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(result), &list) == nil && len(list) > 0 {
		return firstItems(list), fmt.Sprintf("first %d of %d items", min(receiptItems, len(list)), len(list))
	}
	var table struct {
		Columns json.RawMessage   `json:"columns"`
		Rows    []json.RawMessage `json:"rows"`
	}
	if json.Unmarshal([]byte(result), &table) == nil && len(table.Columns) > 0 && len(table.Rows) > 0 {
		return fmt.Sprintf(`{"row_count":%d,"columns":%s,"rows":%s}`, len(table.Rows), table.Columns, firstItems(table.Rows)),
			fmt.Sprintf("first %d of %d rows", min(receiptItems, len(table.Rows)), len(table.Rows))
	}
	lines := strings.SplitAfterN(result, "\n", receiptLines+1)
	if len(lines) <= receiptLines {
		return result, fmt.Sprintf("beginning of %d bytes", len(result))
	}
	return strings.TrimSuffix(strings.Join(lines[:receiptLines], ""), "\n"),
		fmt.Sprintf("first %d of %d lines", receiptLines, strings.Count(strings.TrimSuffix(result, "\n"), "\n")+1)
}

func firstItems(list []json.RawMessage) string {
	b, err := Compact(list[:min(receiptItems, len(list))])
	if err != nil {
		return ""
	}
	return string(b)
}
