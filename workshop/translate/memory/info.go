package memory

import "context"

// Count is the number of entries of a pair by origin.
type Count struct {
	Pair
	Person   int `json:"person"`
	Imported int `json:"imported"`
	Machine  int `json:"machine"`
}

// All returns the number of the pair's entries.
func (c Count) All() int { return c.Person + c.Imported + c.Machine }

// Info counts the entries of each pair, sorted by pair.
func (m *Memory) Info(ctx context.Context) ([]Count, error) {
	rows, err := m.db.QueryContext(ctx, `SELECT s.tag, d.tag, sum(origin = 1), sum(origin = 2), sum(origin = 3)
		FROM entries e JOIN languages s ON s.id = e.src JOIN languages d ON d.id = e.dst GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Count
	for rows.Next() {
		var c Count
		if err := rows.Scan(&c.Pair.From, &c.Pair.To, &c.Person, &c.Imported, &c.Machine); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
