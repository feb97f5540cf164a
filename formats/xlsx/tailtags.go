package xlsx

// eachTailTag gives the start tags behind the rows one by one, with the depth
// of their elements (the sheet's children are 2), whatever their number; call
// it after evEnd in place of tail. A tag is valid during the call.
func (s *rowScanner) eachTailTag(f func(tag []byte, depth int)) error {
	s.w.consume(s.used)
	s.used = 0
	depth := 2 // sheetData is still open
	if s.selfData {
		depth = 1
	}
	i := 0
	for {
		if i = s.w.index(i, '<'); i < 0 || !s.w.need(i+2) {
			s.w.consume(len(s.w.rest()))
			return s.w.err
		}
		c := s.w.rest()[i+1]
		if c == '!' || c == '?' {
			if i = s.w.skipMarkup(i); i < 0 {
				return s.cut("a comment")
			}
			continue
		}
		e := s.w.tagEnd(i)
		if e < 0 {
			return s.cut("a tag")
		}
		tag := s.w.rest()[i:e]
		switch {
		case c == '/':
			depth--
		case tag[len(tag)-2] == '/':
			f(tag, depth+1)
		default:
			depth++
			f(tag, depth)
		}
		s.w.consume(e)
		i = 0
	}
}
