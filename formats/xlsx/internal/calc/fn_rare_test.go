package calc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Values of Microsoft's documentation, and of the tables of Abramowitz and Stegun for the
// Bessel functions.
func TestRareFunctions(t *testing.T) {
	checkFormulas(t, sheetOf("1"),
		`BESSELJ(1.9,2)`, `0.329925727692`,
		`BESSELJ(-1.9,3)+BESSELJ(1.9,3)`, `0`,
		`BESSELI(1.5,1)`, `0.981666428578`,
		`BESSELI(-1.5,1)`, `-0.981666428578`,
		`BESSELI(0,0)`, `1`,
		`BESSELI(0,3)`, `0`,
		`BESSELI(2000,0)`, `#NUM!`,
		`BESSELK(1.5,1)`, `0.277387800457`,
		`BESSELK(0.1,0)`, `2.4270690247`,
		`BESSELK(0,1)`, `#NUM!`,
		`BESSELY(2.5,1)`, `0.145918137967`,
		`BESSELJ(1,-1)`, `#NUM!`,
		`BESSELJ(1,1000000)`, `?limit`,
		`IMCOS("1+i")`, `"0.833730025131149-0.988897705762865i"`,
		`IMSIN("4+3i")`, `"-7.61923172032141-6.548120040911i"`,
		`IMLN("3+4i")`, `"1.6094379124341+0.927295218001612i"`,
		`IMSQRT("1+i")`, `"1.09868411346781+0.455089860562227i"`,
		`IMEXP("1+j")`, `"1.46869393991589+2.28735528717884j"`,
		`IMLN(0)`, `#NUM!`,
		`IMPOWER(0,0)`, `#NUM!`,
		`IMPOWER(2,3)`, `"8"`,
		`IMCOT(0)`, `#NUM!`,
		`IMSIN("x")`, `#NUM!`,
		`ROUND(IMREAL(IMPOWER("2+3i",3)),9)`, `-46`,
		`ACCRINT(39508,39691,39569,0.1,1000,2,0)`, `16.6666666667`,
		`ACCRINT(DATE(2008,3,5),39691,39569,0.1,1000,2,0,FALSE)`, `15.5555555556`,
		`ACCRINT(DATE(2008,4,5),39691,39569,0.1,1000,2,0,TRUE)`, `7.22222222222`,
		`ACCRINT(39508,39691,39569,0.1,1000,2,1)`, `?form`,
		`ACCRINT(39508,39691,39569,0.1,1000,3)`, `#NUM!`,
		`AMORDEGRC(2400,39679,39813,300,1,0.15,1)`, `776`,
		`AMORLINC(2400,39679,39813,300,1,0.15,1)`, `360`,
		`AMORLINC(2400,39679,39813,300,20,0.15,1)`, `0`,
		`AMORDEGRC(2400,39679,39813,300,9,0.15,1)`, `?form`,
		`AMORDEGRC(2400,39679,39813,300,1,0.22,1)`, `?form`,
		`ODDFPRICE(39763,44256,39736,39873,0.0785,0.0625,100,2,1)`, `113.597717474`,
		`ODDFYIELD(39763,44256,39736,39873,0.0575,84.5,100,2,0)`, `0.0772455415978`,
		`ODDFPRICE(39763,44256,39500,39873,0.0785,0.0625,100,2,1)`, `?form`,
		`ODDFPRICE(39763,44256,39800,39873,0.0785,0.0625,100,2,1)`, `#NUM!`,
		`ODDLPRICE(39485,39614,39370,0.0375,0.0405,100,2,0)`, `99.8782860147`,
		`ODDLYIELD(39558,39614,39440,0.0375,99.875,100,2,0)`, `0.0451922356292`,
		`BAHTTEXT(1234)`, `"หนึ่งพันสองร้อยสามสิบสี่บาทถ้วน"`,
		`BAHTTEXT(-21.11)`, `"ลบยี่สิบเอ็ดบาทสิบเอ็ดสตางค์"`,
		`BAHTTEXT(0)`, `"ศูนย์บาทถ้วน"`,
		`BAHTTEXT(0.5)`, `"ห้าสิบสตางค์"`,
		`BAHTTEXT(12000000)`, `"สิบสองล้านบาทถ้วน"`,
		`BAHTTEXT(101)`, `?form`,
		`BAHTTEXT(1E14)`, `?form`,
		`EUROCONVERT(1.2,"DEM","EUR")`, `0.61`,
		`EUROCONVERT(1,"FRF","EUR",TRUE,3)`, `0.152449017237`,
		`EUROCONVERT(1,"FRF","DEM",TRUE,3)`, `0.29728616`,
		`EUROCONVERT(1,"FRF","DEM",FALSE,3)`, `0.3`,
		`EUROCONVERT(1,"USD","EUR")`, `?form`,
	)
}

// The functions of complex numbers hold what mathematics says of them.
func TestComplexIdentities(t *testing.T) {
	b := sheetOf("1")
	for _, z := range []string{"1+i", "-2.5+0.3i", "0.1-3i", "4", "-i"} {
		for _, f := range []string{
			`IMSUM(IMPRODUCT(IMSIN(z),IMSIN(z)),IMPRODUCT(IMCOS(z),IMCOS(z)),-1)`,
			`IMSUB(IMPRODUCT(IMCOSH(z),IMCOSH(z)),IMSUM(IMPRODUCT(IMSINH(z),IMSINH(z)),1))`,
			`IMSUB(IMEXP(IMLN(z)),z)`, `IMSUB(IMPOWER(IMSQRT(z),2),z)`,
			`IMSUB(IMPRODUCT(IMTAN(z),IMCOT(z)),1)`, `IMSUB(IMPRODUCT(IMSEC(z),IMCOS(z)),1)`, `IMSUB(IMPRODUCT(IMCSC(z),IMSIN(z)),1)`,
			`IMSUB(IMPRODUCT(IMSECH(z),IMCOSH(z)),1)`, `IMSUB(IMPRODUCT(IMCSCH(z),IMSINH(z)),1)`, `IMSUB(IMLOG2(z),IMDIV(IMLN(z),LN(2)))`, `IMSUB(IMLOG10(z),IMDIV(IMLN(z),LN(10)))`,
		} {
			text := ""
			for _, r := range f {
				if r == 'z' {
					text += `"` + z + `"`
				} else {
					text += string(r)
				}
			}
			require.Equal(t, "TRUE", shown(t, b, english, "IMABS("+text+")<1E-10"), text)
		}
	}
}

// The modified Bessel functions hold their Wronskian, I(n)K(n+1)+I(n+1)K(n) = 1/x.
func TestBesselWronskian(t *testing.T) {
	c := &Call{Evaluator: NewEvaluator(t.Context(), sheetOf(), english)}
	for _, x := range []float64{1e-6, 0.01, 0.5, 1, 3, 20, 150, 600} {
		for _, n := range []int{0, 1, 2, 7} {
			w := c.besselI(x, n)*besselK(x, n+1) + c.besselI(x, n+1)*besselK(x, n)
			require.InEpsilon(t, 1/x, w, 1e-12, "%g %d", x, n)
		}
	}
	require.True(t, math.IsInf(c.besselI(5000, 1), 1))
}
