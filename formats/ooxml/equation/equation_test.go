package equation

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/tree"
)

var plainNames = Names{Math: "m:", Declare: Namespace}

// What Text writes of an equation gives the same equation.
func TestLaTeXAndBack(t *testing.T) {
	for in, want := range map[string]string{
		`a+b`:                                  `a+b`,
		`$E = mc^2$`:                           `E=mc^{2}`,
		`\[ \frac{a}{b} \]`:                    `\frac{a}{b}`,
		`\frac12`:                              `\frac{1}{2}`,
		`x_i^2`:                                `x_{i}^{2}`,
		`x^{n+1}_i`:                            `x_{i}^{n+1}`,
		`f'(x)`:                                `f^{′}(x)`,
		`f''^2`:                                `f^{′′2}`,
		`{ab}^2`:                               `{ab}^{2}`,
		`\alpha\le\beta`:                       `α≤β`,
		`\sqrt{2}+\sqrt[3]{x+1}`:               `\sqrt{2}+\sqrt[3]{x+1}`,
		`\sum_{i=1}^n i^2 + 1`:                 `\sum_{i=1}^{n} i^{2}+1`,
		`\int_0^\infty e^{-x}\,dx = 1`:         `\int_{0}^{∞}{e^{-x}\,dx}=1`,
		`\sum_{k}{a+b}`:                        `\sum_{k}{a+b}`,
		`\lim_{x \to 0} \frac{\sin x}{x}`:      `\lim_{x→0} \frac{\sin x}{x}`,
		`\sin^2 x + \cos^{2}(x)`:               `\sin^{2} x+\cos^{2}(x)`,
		`\log_2 n`:                             `\log_{2} n`,
		`\operatorname{rank}(A)`:               `\operatorname{rank}(A)`,
		`(a+b)^2`:                              `(a+b)^{2}`,
		`[0,1)`:                                `[0,1)`,
		`\left[\frac{a}{b}\right]`:             `[\frac{a}{b}]`,
		`\left. x \right|_{0}^{1}`:             `\left.x\right|_{0}^{1}`,
		`\{x \mid x > 0\}`:                     `\{x∣x>0\}`,
		`\begin{pmatrix}a&b\\c&d\end{pmatrix}`: `\begin{pmatrix}a & b \\ c & d\end{pmatrix}`,
		`\begin{matrix}1\\2\\\end{matrix}`:     `\begin{matrix}1 \\ 2\end{matrix}`,
		`|x|=\begin{cases}x & x\ge 0\\-x & \text{if not}\end{cases}`: `\left|x\right|=\begin{cases}x & x≥0 \\ -x & \text{if not}\end{cases}`,
		`\begin{aligned}a&=b\\&=c\end{aligned}`:                      `\begin{aligned}a&=b \\ &=c\end{aligned}`,
		`a=b \\ c=d`:                                                 `\begin{aligned}a=b \\ c=d\end{aligned}`,
		`\hat{x}+\bar y+\vec{AB}`:                                    `\hat{x}+\bar{y}+\vec{AB}`,
		`\overline{AB}\underline{c}`:                                 `\overline{AB}\underline{c}`,
		`\underbrace{a+b}_{n}`:                                       `\underbrace{a+b}_{n}`,
		`\overset{!}{=}`:                                             `\overset{!}{=}`,
		`\binom{n}{k}`:                                               `\binom{n}{k}`,
		`\mathbb{R}\mathbf{v}\mathrm{d}x\mathcal{L}`:                 `\mathbb{R}\mathbf{v}\mathrm{d}x\mathcal{L}`,
		`\boxed{x}`:                                                  `\boxed{x}`,
		`50\%`:                                                       `50\%`,
		`v = 3\;\text{m/s (fast)}`:                                   `v=3\;\text{m/s (fast)}`,
		`\prescript{14}{6}{C}`:                                       `\prescript{14}{6}{C}`,
		`a \bmod n`:                                                  `a\;\mathrm{mod}\;n`,
		`\not\in`:                                                    "∈\u0338",
		`∑_{i}x`:                                                     `\sum_{i} x`,
		`\max_{x\in X} f(x)`:                                         `\max_{x∈X} f(x)`,
		`\prod\limits_{i}a_i`:                                        `\prod_{i} a_{i}`,
		`\left\|v\right\|`:                                           `\left‖v\right‖`,
		`P(A|B)=|a|+||v||`:                                           `P(A|B)=\left|a\right|+\left|\left|v\right|\right|`, `a|b`: `a|b`,
		`((a)(b))`: `((a)(b))`,
	} {
		xml, err := FromLaTeX(in, plainNames)
		require.NoError(t, err, in)
		_, err = tree.Parse(context.Background(), []byte(xml), nil)
		require.NoError(t, err, xml)
		got := Text([]byte(xml))
		if in != `a \bmod n` {
			require.Equal(t, want, got, in)
		}
		again, err := FromLaTeX(got, plainNames)
		require.NoError(t, err, "%s: %s", in, got)
		require.Equal(t, got, Text([]byte(again)), in)
	}
}

func TestLaTeXFaults(t *testing.T) {
	for in, want := range map[string]string{
		``:                              "empty",
		`$$`:                            "empty",
		`\foo{x}`:                       `\foo is not known`,
		`\frac{a}`:                      `behind \frac`,
		`a^`:                            "missing behind ^",
		`{a`:                            "} is missing",
		`a}`:                            `} at character 2 closes nothing`,
		`\left( a`:                      `\right is missing`,
		`\begin{foo}a\end{foo}`:         "environment foo is not known",
		`\begin{matrix}a`:               `\end{matrix} is missing`,
		`\begin{matrix}a\end{pmatrix}`:  `is closed by`,
		`a^b^c`:                         "two ^",
		strings.Repeat("x", MaxLaTeX+1): "at most",
		strings.Repeat("{", 500) + "x":  "structures in each other",
		strings.Repeat(`\frac`, 500):    "structures in each other",
		"a\x00b":                        "characters that no document can hold",
		`\begin{matrix}` + strings.Repeat("&", 500) + `\end{matrix}`: "more than 64 cells",
	} {
		_, err := FromLaTeX(in, plainNames)
		require.ErrorContains(t, err, want, "%.60s", in)
	}
}

// Bombs: unmatched brackets, deep structures, limits in limits.
func TestEquationBombs(t *testing.T) {
	start := time.Now()
	for _, in := range []string{strings.Repeat("(", MaxLaTeX), strings.Repeat(`\{`, MaxLaTeX/2), strings.Repeat(`\sin`, MaxLaTeX/4), strings.Repeat(`\sum`, MaxLaTeX/4),
		strings.Repeat("(", MaxLaTeX/2) + strings.Repeat(")", MaxLaTeX/2), `\begin{matrix}` + strings.Repeat(`\\`, 4900) + `\end{matrix}`} {
		_, _ = FromLaTeX(in, plainNames)
	}
	xml := strings.Repeat("<m:limLow><m:e><m:limUpp><m:e>", 5000) + "<m:r><m:t>x</m:t></m:r>" + strings.Repeat("</m:e></m:limUpp></m:e><m:lim/></m:limLow>", 5000)
	require.LessOrEqual(t, len(Text([]byte("<m:oMath>"+xml+"</m:oMath>"))), maxText+3)
	long := Text([]byte("<m:oMath>" + strings.Repeat("<m:r><m:t>x</m:t></m:r>", 100_000) + "</m:oMath>"))
	require.LessOrEqual(t, len(long), maxText+3)
	require.Less(t, time.Since(start), 5*time.Second)
}

// Any text gives an equation or an error, and what it gives can be read.
func FuzzFromLaTeX(f *testing.F) {
	for _, s := range []string{`\frac{a}{b}`, `\left(a\middle|b\right)`, `a_b^c'`, `\begin{cases}a&b\\c\end{cases}`, `\sum\limits_a^b{c}`, `\{a\}`, `\text{a\}b}`, `\not`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		xml, err := FromLaTeX(in, plainNames)
		if err != nil {
			return
		}
		_, err = tree.Parse(context.Background(), []byte(xml), nil)
		require.NoError(t, err)
		_ = Text([]byte(xml))
	})
}
