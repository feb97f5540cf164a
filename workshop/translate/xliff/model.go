package xliff

// Namespaces of the core and of the modules that are written (XLIFF 2.1,
// clauses 4 and 5). They contain 2.0 in every 2.x version.
const (
	nsCore     = "urn:oasis:names:tc:xliff:document:2.0"
	nsMatches  = "urn:oasis:names:tc:xliff:matches:2.0"
	nsGlossary = "urn:oasis:names:tc:xliff:glossary:2.0"
	nsSize     = "urn:oasis:names:tc:xliff:sizerestriction:2.0"
	nsMetadata = "urn:oasis:names:tc:xliff:metadata:2.0"
	nsOld      = "urn:oasis:names:tc:xliff:document:1.2"
	nsOlder    = "urn:oasis:names:tc:xliff:document:1.1"
)

// Version is a version of the standard.
type Version string

// The versions that can be written.
const (
	V21 Version = "2.1" // the reader accepts every 2.x
	V12 Version = "1.2" // the reader accepts 1.1 too
)

// Versions lists the versions that can be written.
var Versions = []Version{V12, V21}

// File is one document in one language.
type File struct {
	Version  Version // "" is V21
	Original string  // '/'-separated path of the document, as named by the job
	Hash     string  // SHA-256 of its bytes in hex; "" if a tool removed it
	From     string  // BCP 47; "" is written as "und" (undetermined)
	To       string  // BCP 47; "" only in a file whose translation has not begun
	Engine   string  // the translator of the targets, for people; may be ""
}

// State is the progress of a target, as 2.1 names it (clause 4.3.1.30); the
// names of 1.2 are in oldwrite.go.
type State string

// The states in ascending order.
const (
	Initial    State = "initial"    // not translated
	Translated State = "translated" // by a machine, or not reviewed yet
	Reviewed   State = "reviewed"   // by a person
	Final      State = "final"      // ready for use
)

// rank orders states; an unknown one is the lowest.
func (s State) rank() int {
	switch s {
	case Translated:
		return 1
	case Reviewed:
		return 2
	case Final:
		return 3
	}
	return 0
}

// ByPerson reports whether the state says that a person has confirmed the target.
func (s State) ByPerson() bool { return s.rank() >= Reviewed.rank() }

// Unit is a segment of the document with its translation. Source and Target
// have inline tags (package tags).
type Unit struct {
	ID          string // of the segment, as in formats.Segment
	Place       string // for people: "Sales!B3"
	Part        string // kind of place: "cell", "header"
	Source      string
	Target      string // there is none if it is "" and HasTarget is false
	HasTarget   bool
	State       State    // "" is written as Translated with a target, Initial without one
	Notes       []string // constraints in words
	Flags       []string // findings that a person should look at; read back only as notes
	MaxLength   int      // in characters; 0: none
	Locked      bool     // translate="no": shown to the translator, must not be changed
	Suggestions []Suggestion
	Terms       []Term

	// Problem says why the target of a unit that was read cannot be used: "1
	// of its 2 parts has no target".
	Problem string
}

// Suggestion is a similar segment of a translation memory.
type Suggestion struct {
	Source, Target string
	Score          float64 // similarity, 0 to 1
	Origin         string  // where it comes from, for people
}

// Term is an entry of the glossary that occurs in the unit.
type Term struct{ Source, Target, Note string }

// Document is a file with its units, for small documents.
type Document struct {
	File
	Units []Unit
}
