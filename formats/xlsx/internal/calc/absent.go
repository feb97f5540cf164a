package calc

import (
	"slices"
	"strings"
)

// Absent is a group of functions of Excel that are not calculated.
type Absent struct {
	Reason string
	Names  []string // in order
}

// AbsentFunctions returns the functions of Excel that are not calculated, by reason.
func AbsentFunctions() []Absent {
	var out []Absent
	for _, group := range absentFunctions {
		out = append(out, Absent{group.reason, strings.Fields(group.names)})
	}
	return out
}

// absentReason returns why a function of Excel is not calculated, "" for one that is
// not listed.
func absentReason(name string) string {
	for _, group := range absentFunctions {
		if slices.Contains(strings.Fields(group.names), name) {
			return group.reason
		}
	}
	return ""
}

var absentFunctions = []struct{ reason, names string }{
	{"how Excel estimates there is not known", "FORECAST.ETS FORECAST.ETS.CONFINT FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT"},
	{"it reads a pivot table, whose values are those of its last refresh", "GETPIVOTDATA"},
	{"it groups in ways that are not known well enough", "GROUPBY PIVOTBY TRIMRANGE"},
	{"its patterns are those of a library that is not here", "REGEXEXTRACT REGEXREPLACE REGEXTEST"},
	{"it reads another source, a service or the network", "COPILOT CUBEKPIMEMBER CUBEMEMBER CUBEMEMBERPROPERTY CUBERANKEDMEMBER CUBESET CUBESETCOUNT CUBEVALUE DETECTLANGUAGE FIELDVALUE FILTERXML IMAGE PY RTD SQL.REQUEST STOCKHISTORY TRANSLATE WEBSERVICE"},
	{"it runs code of a macro or an add-in", "CALL REGISTER.ID"},
	{"it tells about the machine or the program", "INFO"},
	{"it depends on the language of the program", "DATESTRING ISTHAIDIGIT NUMBERSTRING PHONETIC ROUNDBAHTDOWN ROUNDBAHTUP THAIDAYOFWEEK THAIDIGIT THAIMONTHOFYEAR THAINUMSOUND THAINUMSTRING THAISTRINGLENGTH THAIYEAR"},
}
