package egress

// Begin adds the row of something that is about to be sent otherwise than by the
// transport. Where it cannot be written, nothing may be sent.
func (l *Log) Begin(e Event) (id int64, err error) { return l.begin(e) }

// End completes a row of Begin by its ID: what was sent and received, how long it took,
// how it ended.
func (l *Log) End(e Event) error { return l.end(e) }
