// How cells look: widths, colors that can be read, borders.

/** Pixels of a width in characters of the default font (ECMA-376-1, 18.3.1.13). */
export const columnPixels = (width) => Math.max(24, Math.round(width * 7 + 5));

/** Pixels of a height in points. */
export const rowPixels = (height) => Math.max(20, Math.round((height * 4) / 3));

const channel = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const brightness = (hex) => {
  const n = parseInt(hex, 16);
  return 0.2126 * channel(((n >> 16) & 255) / 255) + 0.7152 * channel(((n >> 8) & 255) / 255) + 0.0722 * channel((n & 255) / 255);
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

/** The color of a text on a ground, both RRGGBB: the wanted one if it can be read there, else black or white. */
export function readable(color, ground) {
  const g = brightness(ground);
  if (color && contrast(brightness(color), g) >= 4.5) return color;
  return contrast(0, g) >= contrast(1, g) ? "000000" : "FFFFFF";
}

const LINES = { thin: "1px solid", hair: "1px dotted", dotted: "1px dotted", dashed: "1px dashed", dashDot: "1px dashed", dashDotDot: "1px dashed", medium: "2px solid", mediumDashed: "2px dashed", mediumDashDot: "2px dashed", mediumDashDotDot: "2px dashed", slantDashDot: "2px dashed", thick: "3px solid", double: "3px double" };
const JUSTIFY = { left: "start", center: "center", right: "end", fill: "start", justify: "start", distributed: "center", centerContinuous: "center" };

/** Gives an element the look of a cell. ground is the color behind the sheet, RRGGBB. */
export function dress(el, look, cell, ground) {
  const s = el.style, fill = look?.fill || "";
  if (fill) s.backgroundColor = `#${fill}`;
  if (fill || look?.color) s.color = `#${readable(look.color, fill || ground)}`;
  const align = JUSTIFY[look?.align] ?? (cell?.type === "number" || cell?.type === "date" ? "end" : cell?.type ? "center" : "");
  if (align) s.justifyContent = align;
  if (!look) return;
  if (look.bold) s.fontWeight = "700";
  if (look.italic) s.fontStyle = "italic";
  if (look.underline || look.strike) s.textDecoration = [look.underline && "underline", look.strike && "line-through"].filter(Boolean).join(" ");
  if (look.size) s.fontSize = `${Math.min(Math.max(look.size * 1.18, 9), 40)}px`;
  if (look.vertical_align === "top") s.alignItems = "start";
  else if (look.vertical_align) s.alignItems = "center";
  if (look.indent) s.paddingInlineStart = `${4 + look.indent * 9}px`;
  if (look.wrap) el.classList.add("wrap");
  for (const [side, css] of [["border_top", "borderTop"], ["border_bottom", "borderBottom"], ["border_left", "borderLeft"], ["border_right", "borderRight"]]) {
    if (!look[side]) continue;
    const [line, color] = look[side].split(" ");
    s[css] = `${LINES[line] ?? LINES.thin} ${color && contrast(brightness(color), brightness(fill || ground)) >= 1.15 ? `#${color}` : "var(--grid)"}`;
  }
}

/**
 * The places of columns: left(n) is where column n begins, at(x) the column at x. spans
 * as ReviewGetSheetWindow gives them.
 */
export function columnPlaces(info, count) {
  const usual = columnPixels(info?.default_width ?? 8.43);
  const lefts = new Float64Array(count + 2), spans = info?.column_spans ?? [];
  let k = 0;
  for (let c = 1; c <= count; c++) {
    while (k < spans.length && spans[k].last < c) k++;
    const span = spans[k]?.first <= c ? spans[k] : null;
    lefts[c + 1] = lefts[c] + (span?.width ? columnPixels(span.width) : usual);
  }
  return {
    left: (c) => lefts[Math.min(c, count + 1)],
    width: (c) => lefts[c + 1] - lefts[c],
    total: lefts[count + 1],
    span: (c) => spans.find((s) => s.first <= c && c <= s.last) ?? null,
    at(x) {
      let a = 1, b = count;
      while (a < b) {
        const m = (a + b + 1) >> 1;
        if (lefts[m] <= x) a = m;
        else b = m - 1;
      }
      return a;
    },
  };
}
