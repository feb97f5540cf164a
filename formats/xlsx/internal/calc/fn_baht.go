package calc

import (
	"math"
	"strconv"
	"strings"
)

// BAHTTEXT says an amount of money in Thai, whatever the language of the program is.

func init() {
	register(Func{Name: "BAHTTEXT", Min: 1, Max: 1, Args: "n", Call: bahtText})
}

var (
	thaiDigits = [...]string{"ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"}
	thaiPlaces = [...]string{"", "สิบ", "ร้อย", "พัน", "หมื่น", "แสน"} // 1, 10, 100 …
)

func bahtText(c *Call, a []Value) Value {
	x := roundDigits(math.Abs(a[0].num), 2)
	if x >= 1e13 {
		c.stop(ReasonForm, "BAHTTEXT of a number of more than 15 digits")
	}
	baht, satang, _ := strings.Cut(strconv.FormatFloat(x, 'f', 2, 64), ".")
	var sb strings.Builder
	if a[0].num < 0 && x > 0 {
		sb.WriteString("ลบ")
	}
	switch {
	case baht != "0":
		c.thai(&sb, baht)
		sb.WriteString("บาท")
	case satang == "00":
		sb.WriteString(thaiDigits[0] + "บาท")
	}
	if satang == "00" {
		sb.WriteString("ถ้วน")
	} else {
		c.thai(&sb, strings.TrimLeft(satang, "0"))
		sb.WriteString("สตางค์")
	}
	return Str(sb.String())
}

// thai says digits, six at a time with the word for a million behind all but the last.
// Programs differ in how they say a one behind a zero, such as 101.
func (c *Call) thai(sb *strings.Builder, digits string) {
	for len(digits) > 0 {
		n := (len(digits)-1)%6 + 1
		for i, d := range digits[:n] {
			place := n - 1 - i
			switch {
			case d == '0':
			case d == '1' && place == 0 && sb.Len() > 0 && i > 0:
				if digits[i-1] == '0' {
					c.stop(ReasonForm, "BAHTTEXT of a number in which a one follows a zero")
				}
				sb.WriteString("เอ็ด")
			case d == '1' && place == 1:
				sb.WriteString(thaiPlaces[1])
			case d == '2' && place == 1:
				sb.WriteString("ยี่" + thaiPlaces[1])
			default:
				sb.WriteString(thaiDigits[d-'0'] + thaiPlaces[place])
			}
		}
		if digits = digits[n:]; len(digits) > 0 {
			sb.WriteString("ล้าน")
		}
	}
}
