package opc

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"atelier/formats"
	"atelier/formats/ooxml/offcrypto"
	"atelier/formats/ooxml/xmlscan"
)

// The limits of X-18.
const (
	MaxEntries   = 10_000
	MaxPartBytes = 256 << 20 // one part held in memory
	MaxTotal     = 4 << 30   // inflated, over all reads of one Package
	MaxRatio     = 1200      // deflate itself cannot exceed 1032 (RFC 1951)

	// A part of more than PlainBytes that unpacks to more than PlainRatio times
	// its packed size is not a document: the XML that office programs write
	// reaches 33 over 200 KB, and Apache POI has long refused from 100 on.
	// Pictures may: a white bitmap does.
	PlainBytes = 1 << 20
	PlainRatio = 100
)

// Package is an open office file. It is safe for use by several goroutines.
type Package struct {
	src      formats.Source // decrypted
	outer    formats.Source // as it is stored; src where it is not encrypted
	key      *offcrypto.Key // nil: it is not encrypted
	zr       *zip.Reader
	byName   map[string]*zip.File // key: folded part name
	types    contentTypes
	read     atomic.Int64      // inflated bytes so far
	overlaid map[string][]byte // see With

	relsMu    sync.Mutex                // guards what is below
	rels      map[string][]Relationship // of the sources that were asked for lately
	sameRels  map[string][]Relationship // the same, by packedRels
	relsKey   []byte                    // its memory
	relsCount int                       // of them together
}

// Open reads the directory and content types of src. A file that is encrypted with
// a password is decrypted with those of the context (package password); it gives
// CodeEncrypted or CodeWrongPassword without the right one. Anything else that is
// not a package is CodeCorrupt.
func Open(ctx context.Context, src formats.Source) (*Package, error) {
	plain, key, err := unlock(ctx, src)
	if err != nil {
		return nil, err
	}
	p, err := OpenZip(plain)
	if err != nil {
		return nil, err
	}
	p.outer, p.key = src, key
	ct, err := p.ReadXML(ctx, contentTypesName)
	if ctx.Err() != nil {
		return nil, ctx.Err() // which says nothing about the file
	}
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is a zip file but no office document: %w", src.Name(), err)
	}
	if p.types, err = parseContentTypes(ct); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %s: %w", src.Name(), contentTypesName, err)
	}
	return p, nil
}

// OpenZip opens a zip file that is not an OPC package, such as an OpenDocument
// one, with the same limits; it has neither content types nor relationships.
func OpenZip(src formats.Source) (*Package, error) {
	if err := sniff(src); err != nil {
		return nil, err
	}
	zr, err := zip.NewReader(src, src.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged or cut off: its zip directory cannot be read (%w)", src.Name(), err)
	}
	zr.RegisterDecompressor(zip.Deflate, newInflater)
	if len(zr.File) > MaxEntries {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has %d entries; the limit is %d", src.Name(), len(zr.File), MaxEntries)
	}
	p := &Package{src: src, outer: src, zr: zr, byName: make(map[string]*zip.File, len(zr.File))}
	var total, packed uint64
	for _, f := range zr.File {
		if f.Flags&1 != 0 {
			return nil, formats.Errorf(formats.CodeEncrypted, "%s has an encrypted entry %q; remove the zip password first", src.Name(), f.Name)
		}
		total += f.UncompressedSize64
		// Entries that share bytes unpack them again and again (Fifield, "A
		// better zip bomb", 2019).
		if packed += f.CompressedSize64; f.CompressedSize64 > uint64(src.Size()) || packed > uint64(src.Size()) {
			return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged: its zip directory describes more bytes than the file has (entry %q)", src.Name(), f.Name)
		}
		if f.CompressedSize64 > 0 && f.UncompressedSize64/f.CompressedSize64 > MaxRatio || total > MaxTotal {
			return nil, formats.Errorf(formats.CodeTooLarge, "%s unpacks to far more than its size (entry %q); this looks like a zip bomb", src.Name(), f.Name)
		}
		k := foldName(f.Name)
		if _, twice := p.byName[k]; !twice {
			p.byName[k] = f
		}
	}
	return p, nil
}

func sniff(src formats.Source) error {
	if src.Size() == 0 {
		return formats.Errorf(formats.CodeCorrupt, "%s is empty (0 bytes)", src.Name())
	}
	head := make([]byte, 8)
	n, err := src.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		return formats.Errorf(formats.CodeUnsupported, "%s is an old binary Office file; open it in Office and save it in the current format", src.Name())
	case bytes.HasPrefix(head, []byte("PK")):
		return nil
	}
	return formats.Errorf(formats.CodeCorrupt, "%s is not an office document: it does not begin as a zip package%s", src.Name(), formats.ButText(src))
}

// foldName makes the key of a part name: no leading slash, lower case (part names
// compare without case, ECMA-376-2 6.2.2.3), forward slashes.
func foldName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// Locked reports whether the package is encrypted with a password where it is
// stored. An Edit of it writes it encrypted again.
func (p *Package) Locked() bool { return p.key != nil }

// Source returns the file the package was opened from, decrypted.
func (p *Package) Source() formats.Source { return p.src }

// Names lists the parts in the order of the zip directory.
func (p *Package) Names() []string {
	names := make([]string, 0, len(p.zr.File))
	for _, f := range p.zr.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

// Has reports whether the part exists.
func (p *Package) Has(name string) bool { return p.byName[foldName(name)] != nil }

// Size returns the part's declared inflated size, -1 when it does not exist.
func (p *Package) Size(name string) int64 {
	if b, ok := p.overlaid[foldName(name)]; ok {
		return int64(len(b))
	}
	if f := p.byName[foldName(name)]; f != nil {
		return int64(f.UncompressedSize64)
	}
	return -1
}

// Stream opens a part for reading from its start. Reads stop with ctx's error
// when ctx is done, and with CodeTooLarge past the package's inflated total.
func (p *Package) Stream(ctx context.Context, name string) (io.ReadCloser, error) {
	if b, ok := p.overlaid[foldName(name)]; ok {
		return overlay(b), nil
	}
	f := p.byName[foldName(name)]
	if f == nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is missing", name)
	}
	if err := p.checkSizes(f); err != nil {
		return nil, err
	}
	if f.Method == zip.Deflate && f.UncompressedSize64 >= largePart {
		return p.streamLarge(ctx, name)
	}
	return p.stream(ctx, f)
}

func (p *Package) stream(ctx context.Context, f *zip.File) (io.ReadCloser, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q cannot be opened: %w", f.Name, err)
	}
	return &partReader{ctx: ctx, rc: rc, pkg: p, name: f.Name, left: int64(f.UncompressedSize64)}, nil
}

// checkSizes refuses a part whose sizes in the zip directory are implausible;
// reading stops at these sizes.
func (p *Package) checkSizes(f *zip.File) error {
	if f.UncompressedSize64 <= PlainBytes || f.UncompressedSize64/max(f.CompressedSize64, 1) <= PlainRatio {
		return nil
	}
	return formats.Errorf(formats.CodeTooLarge, "the part %q of %s unpacks to %d times its size; this looks like a zip bomb", f.Name, p.src.Name(), f.UncompressedSize64/max(f.CompressedSize64, 1))
}

// isPicture decides by the file name; parts that are read as XML never count as
// pictures.
func isPicture(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".bmp", ".dib", ".emf", ".wmf", ".gif", ".png", ".tif", ".tiff", ".jpg", ".jpeg", ".svg", ".ico":
		return true
	}
	return false
}

type partReader struct {
	ctx  context.Context
	rc   io.ReadCloser
	pkg  *Package
	name string
	left int64 // bytes that the directory still promises
}

func (r *partReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(b) > 64<<10 {
		b = b[:64<<10]
	}
	n, err := r.rc.Read(b)
	if r.left -= int64(n); r.left < 0 {
		// archive/zip notices at the end only, after inflating everything.
		return 0, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it unpacks to more than the zip directory says", r.name)
	}
	if r.pkg.read.Add(int64(n)) > MaxTotal {
		return n, formats.Errorf(formats.CodeTooLarge, "%s unpacks to more than %d bytes", r.pkg.src.Name(), int64(MaxTotal))
	}
	if err != nil && err != io.EOF {
		err = formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", r.name, err)
	}
	return n, err
}

func (r *partReader) Close() error { return r.rc.Close() }

// Read returns a whole part, CodeTooLarge when it has more than MaxPartBytes.
func (p *Package) Read(ctx context.Context, name string) ([]byte, error) {
	f := p.byName[foldName(name)]
	if f == nil || !isPicture(f.Name) {
		return p.readPlain(ctx, name)
	}
	return readAll(p, name, func() (io.ReadCloser, error) { return p.stream(ctx, f) })
}

// readPlain is Read without the exception for pictures.
func (p *Package) readPlain(ctx context.Context, name string) ([]byte, error) {
	return readAll(p, name, func() (io.ReadCloser, error) { return p.Stream(ctx, name) })
}

// readAll reads the part that open opens.
func readAll(p *Package, name string, open func() (io.ReadCloser, error)) ([]byte, error) {
	size := p.Size(name)
	if size > MaxPartBytes {
		return nil, formats.Errorf(formats.CodeTooLarge, "the part %q unpacks to more than %d MiB", name, MaxPartBytes>>20)
	}
	rc, err := open()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var buf bytes.Buffer
	// The declared size bounds what is read, but may promise more than what is stored
	// can unpack to.
	if f := p.byName[foldName(name)]; f != nil {
		size = min(size, int64(min(f.CompressedSize64, MaxPartBytes))*MaxRatio)
	}
	buf.Grow(int(max(size, 0)) + bytes.MinRead)
	if _, err := buf.ReadFrom(rc); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// ReadXML is Read for an XML part, in UTF-8.
func (p *Package) ReadXML(ctx context.Context, name string) ([]byte, error) {
	b, err := p.readPlain(ctx, name)
	if err != nil {
		return nil, err
	}
	return xmlscan.UTF8(b), nil
}

// ContentType returns the media type of a part (ECMA-376-2 7.3), "" when
// unknown.
func (p *Package) ContentType(name string) string { return p.types.typeOf(name) }

// MainPart returns the part the package's officeDocument relationship points
// at.
func (p *Package) MainPart(ctx context.Context) (string, error) {
	rels, err := p.Rels(ctx, "")
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if r.Type == RelOfficeDocument && !r.External && p.Has(r.Target) {
			return r.Target, nil
		}
	}
	return "", formats.Errorf(formats.CodeCorrupt, "%s has no main document part", p.src.Name())
}

// ExpectMain checks that the main part has one of the given content types and
// returns its name: a docx that is named .xlsx is told apart here.
func (p *Package) ExpectMain(ctx context.Context, kind formats.Kind, contentTypes ...string) (string, error) {
	name, err := p.MainPart(ctx)
	if err != nil {
		return "", err
	}
	have := p.ContentType(name)
	for _, want := range contentTypes {
		if strings.EqualFold(have, want) {
			return name, nil
		}
	}
	return "", formats.Errorf(formats.CodeCorrupt, "%s is not a %s file: its main part is %s", p.src.Name(), kind, describe(have))
}

func describe(contentType string) string {
	if contentType == "" {
		return "of no declared type"
	}
	return fmt.Sprintf("of type %q", contentType)
}
