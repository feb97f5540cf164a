package workshop

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// inTx runs f in a transaction: all of it is on disk when inTx returns nil.
func inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	return storageFault(carryOut(tx, err, f))
}

// carryOut commits what f does in a transaction that has begun, unless begun
// says that it has not.
func carryOut(tx *sql.Tx, begun error, f func(*sql.Tx) error) error {
	if begun != nil {
		return begun
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		tx.Rollback()
		return err
	}
	return nil
}

// inTxLater is inTx without waiting for the disk: what f did outlives the
// process, as everything that was given to the system, but a loss of power may
// take it back, wholly, until the next inTx has ended, which waits for all that
// came before it. It is for what one of those follows before anything else
// builds on it, and for what can be done without.
func inTxLater(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	conn, err := db.Conn(ctx)
	if err != nil {
		return storageFault(err)
	}
	defer conn.Close()
	// There is one connection, and it is ours until it is closed.
	if _, err := conn.ExecContext(ctx, `PRAGMA synchronous=NORMAL`); err != nil {
		return storageFault(err)
	}
	defer func() {
		if _, err := conn.ExecContext(ctx, `PRAGMA synchronous=FULL`); err != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // the next one is opened as it should be
		}
	}()
	tx, err := conn.BeginTx(ctx, nil)
	return storageFault(carryOut(tx, err, f))
}

// inTxLater is inTx for a workbench that never waits for the disk.
func (wb *Workbench) inTxLater(ctx context.Context, f func(*sql.Tx) error) error {
	if wb.unsynced {
		return inTx(ctx, wb.db, f)
	}
	return inTxLater(ctx, wb.db, f)
}

func inReadTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return storageFault(err)
	}
	defer tx.Rollback()
	return storageFault(f(tx))
}
