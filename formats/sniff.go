package formats

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// The blocks of a file that decide whether it is plain text: its beginning, and
// of a longer one its middle and its end.
const (
	sniffHead = 8 << 10
	sniffMore = 4 << 10
)

// KindOf returns the kind of a file (W-32): the one that its name promises,
// otherwise the one that its content has. It reads at most 16 KiB, and nothing
// where the name promises a kind other than text.
func KindOf(r io.ReaderAt, size int64, name string) (Kind, error) {
	byName := KindOfName(name)
	switch byName {
	case KindText:
		head := make([]byte, min(size, 5))
		n, err := readAt(r, head, 0)
		if err == nil && string(head[:n]) == "%PDF-" {
			byName = KindPDF
		}
		return byName, err
	case KindBinary:
		return kindOfContent(r, size)
	}
	return byName, nil
}

func kindOfContent(r io.ReaderAt, size int64) (Kind, error) {
	head := make([]byte, min(max(size, 0), sniffHead))
	n, err := readAt(r, head, 0)
	if err != nil {
		return KindBinary, err
	}
	head = head[:n]
	for _, m := range []struct {
		begins string
		kind   Kind
	}{{"%PDF-", KindPDF}, {"\x89PNG\r\n\x1a\n", KindImage}, {"\xff\xd8\xff", KindImage}, {"GIF87a", KindImage}, {"GIF89a", KindImage}} {
		if bytes.HasPrefix(head, []byte(m.begins)) {
			return m.kind, nil
		}
	}
	text, err := looksLikeText(r, size, head)
	if err != nil || !text {
		return KindBinary, err
	}
	return KindText, nil
}

// LooksLikeText reports whether content is plain text: UTF-8, UTF-16 with its
// byte order mark, or another encoding, without NUL and with hardly any control
// characters. It looks at the beginning, the middle and the end. An empty file is
// text.
func LooksLikeText(r io.ReaderAt, size int64) (bool, error) {
	head := make([]byte, min(max(size, 0), sniffHead))
	n, err := readAt(r, head, 0)
	if err != nil {
		return false, err
	}
	return looksLikeText(r, size, head[:n])
}

// ButText returns the end of an error message about content that does not match
// its extension: that the content is plain text, or "".
func ButText(src Source) string {
	if text, err := LooksLikeText(src, src.Size()); err == nil && text {
		return "; its content is plain text"
	}
	return ""
}

func looksLikeText(r io.ReaderAt, size int64, head []byte) (bool, error) {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return utf16Text(head), nil
	}
	if !textBlock(head) {
		return false, nil
	}
	for _, at := range []int64{size / 2, size - sniffMore} {
		if at <= int64(len(head)) {
			continue
		}
		b := make([]byte, sniffMore)
		n, err := readAt(r, b, at)
		if err != nil {
			return false, err
		}
		if !textBlock(b[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// readAt fills b from off on as far as there is content.
func readAt(r io.ReaderAt, b []byte, off int64) (int, error) {
	n, err := r.ReadAt(b, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// textBlock reports whether a block of a file can be text that is not UTF-16. It
// may begin and end inside a character.
func textBlock(b []byte) bool {
	control := 0
	for _, c := range b {
		switch {
		case c == 0:
			return false
		case c < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x1b", rune(c)), c == 0x7f:
			control++
		}
	}
	if control == 0 {
		return true
	}
	// Some files separate records with control characters; compressed and
	// encrypted content has them too, but is not UTF-8.
	return control*100 <= len(b) && validUTF8Inside(b)
}

// validUTF8Inside reports whether b is UTF-8 apart from characters cut at its ends.
func validUTF8Inside(b []byte) bool {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}

// utf16Text reports whether what follows a byte order mark of UTF-16 has neither
// NUL nor more than a few control characters.
func utf16Text(b []byte) bool {
	high := 0
	if b[0] == 0xff {
		high = 1 // little endian
	}
	control := 0
	for i := 2; i+1 < len(b); i += 2 {
		if hi, lo := b[i+high], b[i+1-high]; hi == 0 && lo < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(lo)) {
			control++
			if lo == 0 {
				return false
			}
		}
	}
	return control*200 <= len(b)
}

// notTextExt are extensions of formats without an editor here that are never
// written as text.
var notTextExt = map[string]bool{}

func init() {
	for _, e := range strings.Fields(".doc .dot .xls .xlt .xlsb .xltm .ppt .pps .dotm .potm .ppsm .ods .odp .odg .ott .ots .otp .pages .numbers " +
		".bmp .tif .tiff .ico .heic .avif .psd .mp3 .mp4 .m4a .mov .avi .mkv .wav .ogg .flac .zip .gz .bz2 .xz .zst .7z .rar .tar .jar .exe .dll .so .dylib .class .o .a .pyc .sqlite .db .epub .woff .woff2 .ttf .otf") {
		notTextExt[e] = true
	}
}

// NameTakesText reports whether a new file of that name may hold plain text:
// every name may that is not one of a document, picture or other binary format.
func NameTakesText(name string) bool {
	switch KindOfName(name) {
	case KindText:
		return true
	case KindBinary:
		return !notTextExt[strings.ToLower(path.Ext(name))]
	}
	return false
}
