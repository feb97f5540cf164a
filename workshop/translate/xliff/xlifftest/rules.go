package xlifftest

// Namespaces of XLIFF 2.1's core and of the modules that are checked.
const (
	core     = "urn:oasis:names:tc:xliff:document:2.0"
	matches  = "urn:oasis:names:tc:xliff:matches:2.0"
	glossary = "urn:oasis:names:tc:xliff:glossary:2.0"
	size     = "urn:oasis:names:tc:xliff:sizerestriction:2.0"
	metadata = "urn:oasis:names:tc:xliff:metadata:2.0"
	old      = "urn:oasis:names:tc:xliff:document:1.2"
	xmlNS    = "http://www.w3.org/XML/1998/namespace"
)

// rule has the constraints of one element.
type rule struct {
	parents  []string // elements that may contain it; nil: the root
	needs    []string // required attributes
	may      []string // optional attributes without a namespace
	children string   // regular expression for its children's names, each followed by ';'; "*" for a foreign one
	text     bool     // it may contain text
	other    bool     // it may have attributes of other namespaces
}

const (
	inlines  = `((cp|ph|pc|sc|ec|mrk|sm|em);)*`
	modules  = `((\*|mtc:matches|gls:glossary|slr:profiles|mda:metadata);)*`
	contents = `((unit|group);)`
)

var codeAttrs = []string{"canCopy", "canDelete", "canReorder", "copyOf", "subType", "type"}

// rules of the elements in clauses 4.2.2 and 4.2.3 and in clauses 5.1
// (matches), 5.2 (glossary), 5.4 (metadata) and 5.6 (size).
var rules = map[string]rule{
	"xliff":        {needs: []string{"version", "srcLang"}, may: []string{"trgLang"}, children: `(file;)+`, other: true},
	"file":         {parents: []string{"xliff"}, needs: []string{"id"}, may: []string{"canResegment", "original", "translate", "srcDir", "trgDir"}, children: `(skeleton;)?` + modules + `(notes;)?` + contents + `+`, other: true},
	"group":        {parents: []string{"file", "group"}, needs: []string{"id"}, may: []string{"name", "canResegment", "translate", "srcDir", "trgDir", "type"}, children: modules + `(notes;)?` + contents + `*`, other: true},
	"unit":         {parents: []string{"file", "group"}, needs: []string{"id"}, may: []string{"name", "canResegment", "translate", "srcDir", "trgDir", "type"}, children: modules + `(notes;)?(originalData;)?(ignorable;)*segment;((segment|ignorable);)*`, other: true},
	"segment":      {parents: []string{"unit"}, may: []string{"id", "canResegment", "state", "subState"}, children: `source;(target;)?`},
	"ignorable":    {parents: []string{"unit"}, may: []string{"id"}, children: `source;(target;)?`},
	"source":       {parents: []string{"segment", "ignorable", "mtc:match"}, children: inlines, text: true},
	"target":       {parents: []string{"segment", "ignorable", "mtc:match"}, may: []string{"order"}, children: inlines, text: true},
	"notes":        {parents: []string{"file", "group", "unit"}, children: `(note;)+`},
	"note":         {parents: []string{"notes"}, may: []string{"id", "appliesTo", "category", "priority"}, text: true, other: true},
	"skeleton":     {parents: []string{"file"}, may: []string{"href"}, children: `(\*;)*`, text: true},
	"originalData": {parents: []string{"unit", "mtc:match"}, children: `(data;)+`},
	"data":         {parents: []string{"originalData"}, needs: []string{"id"}, may: []string{"dir"}, children: `(cp;)*`, text: true},

	"cp":  {parents: inlineParents("data"), needs: []string{"hex"}},
	"ph":  {parents: inlineParents(), needs: []string{"id"}, may: append([]string{"disp", "equiv", "dataRef", "subFlows"}, codeAttrs...), other: true},
	"pc":  {parents: inlineParents(), needs: []string{"id"}, may: append([]string{"canOverlap", "dispEnd", "dispStart", "equivEnd", "equivStart", "dataRefEnd", "dataRefStart", "subFlowsEnd", "subFlowsStart", "dir"}, codeAttrs...), children: inlines, text: true, other: true},
	"sc":  {parents: inlineParents(), needs: []string{"id"}, may: append([]string{"canOverlap", "dataRef", "dir", "disp", "equiv", "isolated", "subFlows"}, codeAttrs...), other: true},
	"ec":  {parents: inlineParents(), may: append([]string{"id", "startRef", "canOverlap", "dataRef", "dir", "disp", "equiv", "isolated", "subFlows"}, codeAttrs...), other: true},
	"mrk": {parents: inlineParents(), needs: []string{"id"}, may: []string{"translate", "type", "ref", "value"}, children: inlines, text: true, other: true},
	"sm":  {parents: inlineParents(), needs: []string{"id"}, may: []string{"translate", "type", "ref", "value"}, other: true},
	"em":  {parents: inlineParents(), needs: []string{"startRef"}},

	"mtc:matches":     {parents: []string{"unit"}, children: `(mtc:match;)+`},
	"mtc:match":       {parents: []string{"mtc:matches"}, needs: []string{"ref"}, may: []string{"id", "matchQuality", "matchSuitability", "origin", "reference", "similarity", "subType", "type"}, children: `(mda:metadata;)?(originalData;)?source;target;(\*;)*`, other: true},
	"gls:glossary":    {parents: []string{"unit"}, children: `(gls:glossEntry;)+`},
	"gls:glossEntry":  {parents: []string{"gls:glossary"}, may: []string{"id", "ref"}, children: `gls:term;((gls:translation;)+(gls:definition;)?|gls:definition;)(\*;)*`, other: true},
	"gls:term":        {parents: []string{"gls:glossEntry"}, may: []string{"source"}, text: true, other: true},
	"gls:translation": {parents: []string{"gls:glossEntry"}, may: []string{"id", "ref", "source"}, text: true, other: true},
	"gls:definition":  {parents: []string{"gls:glossEntry"}, may: []string{"source"}, text: true, other: true},
	"slr:profiles":    {parents: []string{"file"}, may: []string{"generalProfile", "storageProfile"}, children: `(slr:normalization;)?(\*;)*`},
	"mda:metadata":    {parents: []string{"file", "group", "unit", "mtc:match"}, may: []string{"id"}, children: `(mda:metaGroup;)+`},
	"mda:metaGroup":   {parents: []string{"mda:metadata", "mda:metaGroup"}, may: []string{"id", "category", "appliesTo"}, children: `((mda:metaGroup|mda:meta);)+`},
	"mda:meta":        {parents: []string{"mda:metaGroup"}, needs: []string{"type"}, text: true},
}

func inlineParents(more ...string) []string {
	return append([]string{"source", "target", "pc", "mrk"}, more...)
}

const (
	yesNo     = `yes|no`
	firstNo   = `yes|firstNo|no`
	dir       = `ltr|rtl|auto`
	nmtoken   = `[\p{L}\p{N}:._\-\x{B7}\p{Mn}]+`
	userValue = `[^\s:]+:[^\s:]+`
	language  = `[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*`
	percent   = `100(\.0+)?|\d{1,2}(\.\d+)?`
)

// values of attributes (clause 4.3.1), by "element@attribute" or "@attribute".
var values = map[string]string{
	"@version": `2\.[01]`, "@srcLang": language, "@trgLang": language, "@id": nmtoken, "@startRef": nmtoken, "@dataRef": nmtoken,
	"@translate": yesNo, "@canResegment": yesNo, "@canCopy": yesNo, "@canDelete": yesNo, "@canOverlap": yesNo, "@canReorder": firstNo, "@isolated": yesNo,
	"@srcDir": dir, "@trgDir": dir, "@dir": dir, "@state": `initial|translated|reviewed|final`, "@subState": userValue, "@subType": userValue,
	"unit@type": userValue, "group@type": userValue, "@order": `[1-9]\d*`, "@hex": `([0-9A-Fa-f]{2})+`, "@priority": `[1-9]|10`, "note@appliesTo": `source|target`,
	"ph@type": `fmt|ui|quote|link|image|other`, "pc@type": `fmt|ui|quote|link|image|other`, "@similarity": percent, "@matchQuality": percent, "@matchSuitability": percent,
	"mtc:match@type": `am|mt|icm|idm|tb|tm|other`, "mtc:match@ref": `#\S+`,
}
