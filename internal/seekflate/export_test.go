package seekflate

// Starts returns how many starts a layout has.
func Starts(l *Layout) int { return len(l.starts) }
