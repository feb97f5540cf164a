package sentence

import "strings"

// common are abbreviations of several languages after whose full stop a
// sentence continues, without the stop.
var common = wordSet("dr prof st vs no nr núm vol fig cap art pág pag tel ext op ed eds cf approx jr sr mr mrs ms mme mlle inc ltd co corp dept max min ca tab")

// abbreviations are those of one language.
var abbreviations = map[string]map[string]bool{
	"en": wordSet("gen col capt lt sgt rev hon pres gov sen rep messrs mt ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun sec para pp al e.g i.e a.m p.m u.s u.k est assn bros"),
	"de": wordSet("bzw usw vgl ggf z.b d.h u.a o.ä inkl exkl zzgl abs bd bspw dipl ing evtl frl geb gem hr hrsg jh jhd kap lfd mio mrd mind mwst o.g od rd s.o s.u sog st std str tsd u.u v.a z.t zb ziff zit jan feb apr jun jul aug sept okt nov dez mo di mi do fr sa so"),
	"es": wordSet("d dª sra srta sres dña dra lic ing arq gral cnel pdte ej p.ej p avda av c/ pza ctra ntra depto dpto aprox admón cía apdo bco cta cte dcha izda izq ee uu ss mm núms págs pp art arts ene feb mar abr may jun jul ago sep sept oct nov dic ud uds vd vds máx mín ref s.a s.l s n.º n.ª"),
	"fr": wordSet("m mm mlles mmes mgr p pp chap env ex p.ex c.-à-d av bd boul janv févr avr juil sept oct nov déc adj apr éd etc hab i.e n.b ste tél art al"),
	"it": wordSet("sig sigg sig.ra sig.na dott dott.ssa avv ing arch geom rag on p pp pagg es p.es ecc v s.p.a s.r.l gen feb mar apr mag giu lug ago set ott nov dic c.a art"),
	"pt": wordSet("sra srta dra eng d exmo exma av r p pp pág ex p.ex jan fev abr mai jun jul ago set out nov dez art ltda cia núm"),
	"nl": wordSet("dhr mevr mw ir drs mr bijv bv enz o.a d.w.z m.b.t i.p.v z.o.z jl a.u.b blz"),
	"pl": wordSet("np itd itp tzn tj ul al pl os r w ks hab inż mgr por zob godz tys mln mld"),
	"ru": wordSet("г гг ул д кв стр т тт руб коп им проф др см рис тыс млн млрд т.е т.д т.п н.э"),
	"sv": wordSet("t.ex bl.a d.v.s m.m o.s.v s.k kl ca"),
	"cs": wordSet("např tj tzv atd apod ing mgr bc ul čl odst str č"),
}

// ordinals are the languages that write ordinal numbers with a full stop.
var ordinals = wordSet("de da nb no nn fi cs sk pl hu hr sr sl et lv is tr bs")

// unspaced are the languages without spaces between sentences.
var unspaced = wordSet("zh ja yue wuu lzh")

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
