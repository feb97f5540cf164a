// Package lite runs untrusted queries on SQLite databases in
// memory. It talks to the SQLite library beneath the database/sql driver, since
// only that has what keeps a query from reaching anything else: the authorizer,
// limits, and the answer to whether a statement only reads.
//
//	db, err := lite.NewDatabase(image, nil)  // bytes of a database file
//	c, err := lite.Open()
//	defer c.Close()
//	err = c.Load("main", db)            // any number of connections can
//	err = c.Lock(longest)               // from here on only queries
//	rows, err := c.Query(ctx, "SELECT count(*) FROM data")
//
// The library gets addresses of its own memory only: it keeps them as numbers,
// so Go might move or free what they point to.
package lite
