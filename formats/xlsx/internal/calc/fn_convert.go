package calc

import "strings"

// CONVERT between units that have an exact size. Units whose size differs between
// programs are unknown.

func init() {
	register(
		Func{Name: "CONVERT", Min: 3, Max: 3, Args: "n s s", Call: convertFunc},
	)
	for _, line := range strings.Split(strings.TrimSpace(unitTable), "\n") {
		fields := strings.Fields(line)
		for _, entry := range fields[1:] {
			names, size, _ := strings.Cut(entry, "=")
			x, ok := plainNumber(size)
			if !ok {
				panic("calc: bad unit " + entry)
			}
			for _, name := range strings.Split(names, "/") {
				prefixed := strings.HasPrefix(name, "*")
				unitSizes[strings.TrimPrefix(name, "*")] = unit{fields[0], x, prefixed}
			}
		}
	}
}

// unit is a unit of a quantity, with its size in the first unit of that.
type unit struct {
	quantity string
	size     float64
	prefixed bool // a prefix such as k may be before it
}

var unitSizes = map[string]unit{}

// unitTable lists quantities with their units: names and size; * marks units that
// take prefixes.
const unitTable = `
mass *g=1 lbm=453.59237
length *m=1 mi=1609.344 Nmi=1852 in=0.0254 ft=0.3048 yd=0.9144 *ang=1e-10
time *sec/*s=1 mn/min=60 hr=3600 day/d=86400 yr=31557600
pressure *Pa/*p=1
force *N=1 *dyn/*dy=1e-5
energy *J=1 *e=1e-7 *Wh/*wh=3600
power *W/*w=1
field *T=1 *ga=1e-4
volume *l/*L/*lt=1 tsp=0.00492892159375 tbs=0.01478676478125 oz=0.0295735295625 cup=0.2365882365 pt/us_pt=0.473176473 uk_pt=0.56826125 qt=0.946352946 gal=3.785411784
information *bit=1 *byte=8
`

var prefixes = map[string]float64{
	"Y": 1e24, "Z": 1e21, "E": 1e18, "P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "da": 1e1, "e": 1e1,
	"d": 1e-1, "c": 1e-2, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15, "a": 1e-18, "z": 1e-21, "y": 1e-24,
}

// binaryPrefixes are those of bits and bytes.
var binaryPrefixes = map[string]float64{"ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60}

// unitNamed finds a unit with its prefix.
func unitNamed(name string) (unit, bool) {
	if u, ok := unitSizes[name]; ok {
		return u, true
	}
	for n := 1; n <= 2 && n < len(name); n++ {
		u, ok := unitSizes[name[n:]]
		if !ok || !u.prefixed {
			continue
		}
		if factor, ok := prefixes[name[:n]]; ok {
			u.size *= factor
			return u, true
		}
		if factor, ok := binaryPrefixes[name[:n]]; ok && u.quantity == "information" {
			u.size *= factor
			return u, true
		}
	}
	return unit{}, false
}

// temperatures are units with another zero: degrees of them at 0 K, and in one.
var temperatures = map[string]struct{ zero, size float64 }{
	"C": {-273.15, 1}, "cel": {-273.15, 1}, "F": {-459.67, 1.8}, "fah": {-459.67, 1.8}, "K": {0, 1}, "kel": {0, 1}, "Rank": {0, 1.8},
}

func convertFunc(c *Call, a []Value) Value {
	x, from, to := a[0].num, a[1].str, a[2].str
	old, warm := temperatures[from]
	next, warm2 := temperatures[to]
	if warm && warm2 {
		switch {
		case old == next:
			return Num(x)
		case old.zero == -273.15 && next.zero == -459.67:
			return Num(x*1.8 + 32)
		case old.zero == -459.67 && next.zero == -273.15:
			return Num((x - 32) / 1.8)
		}
		return Num((x-old.zero)/old.size*next.size + next.zero)
	}
	u, ok := unitNamed(from)
	v, ok2 := unitNamed(to)
	if !(ok || warm) || !(ok2 || warm2) {
		c.stop(ReasonForm, "a unit that is not known here")
	}
	if warm || warm2 || u.quantity != v.quantity {
		return Fail(ErrNA)
	}
	if from == to {
		return Num(x)
	}
	return Num(x * u.size / v.size)
}
