package sqlitedb

import (
	"context"
	"database/sql/driver"
	"strings"
)

// Bounds of the statements that a connection keeps compiled. A statement takes a few KB;
// to compile it takes longer than to run most of ours.
const (
	maxKeptStatements = 64
	maxKeptSQL        = 4096 // bytes of a statement
)

// connector opens connections that keep their statements.
type connector struct {
	driver driver.Driver
	dsn    string
}

func (c connector) Driver() driver.Driver { return c.driver }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &conn{driverConn: opened.(driverConn), kept: map[string]*statement{}}, nil
}

// driverConn is what a connection of the driver has.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// driverStmt is what a statement of the driver has.
type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// conn is a connection that keeps the statements compiled that it ran last. database/sql
// uses a connection from one goroutine at a time.
type conn struct {
	driverConn
	kept  map[string]*statement
	clock int // of uses
}

type statement struct {
	driverStmt
	busy bool // its rows are being read
	used int
}

// statement returns the compiled statement of a text; nil: it is to be run without.
func (c *conn) statement(ctx context.Context, text string) (*statement, error) {
	c.clock++
	if s := c.kept[text]; s != nil {
		if s.busy {
			return nil, nil
		}
		s.used = c.clock
		return s, nil
	}
	if !keeps(text) {
		return nil, nil
	}
	opened, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s, ok := opened.(driverStmt)
	if !ok {
		return nil, opened.Close()
	}
	if len(c.kept) >= maxKeptStatements {
		c.dropOldest()
	}
	kept := &statement{driverStmt: s, used: c.clock}
	c.kept[strings.Clone(text)] = kept
	return kept, nil
}

// keeps reports whether a text is one statement that reads or changes rows. A PRAGMA has
// its effect when it is compiled.
func keeps(text string) bool {
	if len(text) > maxKeptSQL || strings.Contains(text, ";") {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH":
		return true
	}
	return false
}

func (c *conn) dropOldest() {
	oldest := ""
	for text, s := range c.kept {
		if !s.busy && (oldest == "" || s.used < c.kept[oldest].used) {
			oldest = text
		}
	}
	c.drop(oldest)
}

func (c *conn) drop(text string) {
	if s := c.kept[text]; s != nil {
		_ = s.Close() // what it did has been reported
		delete(c.kept, text)
	}
}

// ExecContext runs a statement, compiled before if it can be.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.driverConn.ExecContext(ctx, text, args)
	}
	r, err := s.ExecContext(ctx, args)
	if err != nil {
		c.drop(text)
	}
	return r, err
}

// QueryContext is ExecContext for rows.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.driverConn.QueryContext(ctx, text, args)
	}
	r, err := s.QueryContext(ctx, args)
	if err != nil {
		c.drop(text)
		return nil, err
	}
	s.busy = true
	return &rows{Rows: r, of: s}, nil
}

// rows are those of a kept statement, which is free again when they are closed.
type rows struct {
	driver.Rows
	of *statement
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	r.of.busy = false
	return err
}

// Close closes the statements too.
func (c *conn) Close() error {
	for text := range c.kept {
		c.drop(text)
	}
	return c.driverConn.Close()
}
