package workshop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// ToolLogEntry is one tool call with its whole result (W-18).
type ToolLogEntry struct {
	ID      int64
	Tool    string
	CallID  string
	Args    string
	Result  string
	Success bool
	Elapsed time.Duration
	At      time.Time
	// Sources are the files whose content the result carries (package sources);
	// nil: nobody noted them, as before there were any.
	Sources []string
}

// LogTool keeps a tool call and returns the number to recall it by: the next
// one, or the entry's own when it has one that is free.
func (wb *Workbench) LogTool(ctx context.Context, e ToolLogEntry) (int64, error) {
	var id int64
	err := inTx(ctx, wb.db, func(tx *sql.Tx) (err error) {
		id, err = wb.insertToolLog(tx, e)
		return err
	})
	return id, err
}

func (wb *Workbench) insertToolLog(tx *sql.Tx, e ToolLogEntry) (int64, error) {
	if e.At.IsZero() {
		e.At = wb.now()
	}
	sources := ""
	if e.Sources != nil {
		b, err := json.Marshal(e.Sources)
		if err != nil {
			return 0, err
		}
		sources = string(b)
	}
	res, err := tx.Exec(`INSERT INTO tool_log (id,tool,call_id,args,result,success,elapsed_ms,at,sources) VALUES (NULLIF(?,0),?,?,?,?,?,?,?,?)`,
		e.ID, e.Tool, e.CallID, e.Args, e.Result, e.Success, e.Elapsed.Milliseconds(), stamp(e.At), sources)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// StoreResults keeps tool calls in the tool log and what records makes of their
// numbers in the conversation. The log comes first, in one transaction with the
// mark of the files' moment, then the records in one write; each is on disk
// before the next begins, and all before StoreResults returns. records must not
// use the workbench.
func (wb *Workbench) StoreResults(ctx context.Context, entries []ToolLogEntry, records func(ids []int64) []Record) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	if len(entries) == 0 {
		return wb.conv.Append(records(nil)...)
	}
	return wb.conv.append(func() (lines []byte, err error) {
		err = inTx(ctx, wb.db, func(tx *sql.Tx) error {
			ids := make([]int64, len(entries))
			for i, e := range entries {
				var err error
				if ids[i], err = wb.insertToolLog(tx, e); err != nil {
					return err
				}
			}
			rs := records(ids)
			var err error
			if lines, err = wb.conv.lines(rs); err != nil {
				return err
			}
			return wb.mark(tx, firstID(rs))
		})
		return lines, err
	})
}

// ToolLog returns the entry with that number; a NotFound fault when there is none.
func (wb *Workbench) ToolLog(ctx context.Context, id int64) (ToolLogEntry, error) {
	columns, err := wb.toolLogColumns(ctx)
	if err != nil {
		return ToolLogEntry{}, err
	}
	e, err := scanToolLog(wb.db.QueryRowContext(ctx, `SELECT `+columns+` FROM tool_log WHERE id=?`, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return e, Unknownf("there is no tool log entry %d", id).OnField("entry_id")
	}
	return e, err
}

// ToolLogAfter lists at most limit entries with a number over after, in order.
func (wb *Workbench) ToolLogAfter(ctx context.Context, after int64, limit int) ([]ToolLogEntry, error) {
	columns, err := wb.toolLogColumns(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := wb.db.QueryContext(ctx, `SELECT `+columns+` FROM tool_log WHERE id>? ORDER BY id LIMIT ?`, after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []ToolLogEntry
	for rows.Next() {
		e, err := scanToolLog(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

// toolLogColumns returns what scanToolLog reads. A reader may see a state that an
// older program wrote, to which it cannot add columns.
func (wb *Workbench) toolLogColumns(ctx context.Context) (string, error) {
	const columns = `id,tool,call_id,args,result,success,elapsed_ms,at`
	if !wb.readOnly {
		return columns + `,sources`, nil
	}
	var n int
	err := wb.db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info('tool_log') WHERE name='sources'`).Scan(&n)
	if n == 0 {
		return columns + `,''`, err
	}
	return columns + `,sources`, err
}

func scanToolLog(scan func(...any) error) (e ToolLogEntry, err error) {
	var ms int64
	var at, sources string
	if err = scan(&e.ID, &e.Tool, &e.CallID, &e.Args, &e.Result, &e.Success, &ms, &at, &sources); err != nil {
		return e, err
	}
	e.Elapsed, e.At = time.Duration(ms)*time.Millisecond, unstamp(at)
	if sources != "" {
		err = json.Unmarshal([]byte(sources), &e.Sources)
	}
	return e, err
}
