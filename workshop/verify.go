package workshop

import (
	"context"
	"database/sql"
	"errors"
	"io"
)

// Verification is what Verify found.
type Verification struct {
	Objects  int      // contents that something refers to
	Bytes    int64    // of those
	Problems []string // in words; none when all is well
}

// Verify reads everything a workbench keeps: the database's own check, and of
// every content that a row names whether it is there and has its hash.
func (wb *Workbench) Verify(ctx context.Context) (Verification, error) {
	var v Verification
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) (err error) {
		if v.Problems, err = checkIntegrity(tx); err != nil {
			return err
		}
		var x examiner
		err = x.contradictions(tx)
		for _, f := range x.Findings {
			v.Problems = append(v.Problems, f.Message)
		}
		return err
	})
	if err != nil {
		return v, err
	}
	used, err := wb.usedObjects(ctx)
	if err != nil {
		return v, err
	}
	for hash := range used {
		if hash == "" {
			continue
		}
		n, problem, err := wb.objects.verify(ctx, hash)
		if err != nil {
			return v, err
		}
		v.Objects++
		v.Bytes += n
		if problem != "" {
			v.Problems = append(v.Problems, problem)
		}
	}
	return v, nil
}

// checkIntegrity returns what SQLite finds wrong with the database.
func checkIntegrity(tx *sql.Tx) (problems []string, err error) {
	rs, err := tx.Query(`PRAGMA integrity_check`)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	for rs.Next() {
		var s string
		if err := rs.Scan(&s); err != nil {
			return problems, err
		}
		if s != "ok" {
			problems = append(problems, "the database is damaged: "+s)
		}
	}
	return problems, rs.Err()
}

// verify reads one object; problem says what is wrong with it.
func (o objects) verify(ctx context.Context, hash string) (size int64, problem string, err error) {
	size = o.size(hash)
	var d *damage
	if err = o.copyTo(ctx, hash, io.Discard); errors.As(err, &d) {
		return size, d.Error(), nil
	}
	return size, "", err
}
