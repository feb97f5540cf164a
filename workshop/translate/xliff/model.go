package xliff

// Namespaces of the core and of the modules that are written (XLIFF 2.1,
// clauses 4 and 5). They have 2.0 in them in every 2.x version.
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

// The versions that are written.
const (
	V21 Version = "2.1" // its reader takes every 2.x
	V12 Version = "1.2" // its reader takes 1.1 too
)

// Versions lists what a file can be written in.
var Versions = []Version{V12, V21}

// File is one document in one language.
type File struct {
	Version  Version // "" is V21
	Original string  // '/'-separated path of the document, as the job names it
	Hash     string  // SHA-256 of its bytes in hex; "" when a tool lost it
	From     string  // BCP 47; "" is written as "und" (undetermined)
	To       string  // BCP 47; "" only in a file that nobody has begun to translate
	Engine   string  // what made the targets, for people; may be ""
}

// State is how far a target has come, as 2.1 names it (clause 4.3.1.30);
// the names of 1.2 are in old.go.
type State string

// The states, in their order.
const (
	Initial    State = "initial"    // not translated
	Translated State = "translated" // by a machine, or not yet looked at
	Reviewed   State = "reviewed"   // by a person
	Final      State = "final"      // ready to be used
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
// hold inline tags (package inline).
type Unit struct {
	ID          string // the segment's, as formats.Segment has it
	Place       string // for people: "Sales!B3"
	Part        string // kind of place: "cell", "header"
	Source      string
	Target      string // "" with HasTarget false: there is none
	HasTarget   bool
	State       State    // "" is written as Translated with a target, Initial without
	Notes       []string // constraints in words
	Flags       []string // what a person should look at; read back only as notes
	MaxLength   int      // in characters; 0: none
	Locked      bool     // translate="no": shown to the translator, not to be changed
	Suggestions []Suggestion
	Terms       []Term

	// Problem, of units that were read, says why the target can't be used:
	// "1 of its 2 parts has no target".
	Problem string
}

// Suggestion is a similar segment of a translation memory.
type Suggestion struct {
	Source, Target string
	Score          float64 // similarity, 0 to 1
	Origin         string  // where it is from, for people
}

// Term is an entry of the glossary that occurs in the unit.
type Term struct{ Source, Target, Note string }

// Document is a file with its units, for those that are small.
type Document struct {
	File
	Units []Unit
}
