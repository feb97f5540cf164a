// The search. The index is read when somebody types for the first time; it is a
// script, so that it can be read from a folder as well as from a server.
const root = document.currentScript.dataset.root;
const form = document.querySelector("form");
const input = form.querySelector("input");
const found = form.querySelector(".found");
let loading;

form.hidden = false;

function index() {
  loading ||= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => done(window.sections.map((s) => ({ ...s, title: `${s.p} ${s.t}`.toLowerCase(), text: s.x.toLowerCase() })));
    script.onerror = () => failed(new Error("search-index.js cannot be read"));
    document.head.append(script);
  });
  return loading;
}

// score is 0 for a section that lacks a word; words in titles count more.
function score(section, words) {
  let sum = 0;
  for (const w of words) {
    const inTitle = section.title.includes(w);
    if (!inTitle && !section.text.includes(w)) return 0;
    sum += inTitle ? 10 : 1;
  }
  return section.u.startsWith("decisions/") || section.u.startsWith("changelog.") ? sum / 2 : sum;
}

function excerpt(section, words) {
  const at = Math.max(0, ...words.map((w) => section.text.indexOf(w)));
  const from = Math.max(0, at - 50);
  return (from > 0 ? "…" : "") + section.x.slice(from, from + 160) + (section.x.length > from + 160 ? "…" : "");
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return found.replaceChildren();
  let hits;
  try {
    hits = (await index()).map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]);
  } catch (e) {
    found.replaceChildren(line("p", e.message));
    return;
  }
  const list = document.createElement("ul");
  for (const [, s] of hits.slice(0, 20)) {
    const a = line("a", s.t ? `${s.p}: ${s.t}` : s.p);
    a.href = root + s.u;
    const item = document.createElement("li");
    item.append(a, line("span", excerpt(s, words)));
    list.append(item);
  }
  found.replaceChildren(line("p", hits.length > 20 ? `The best 20 of ${hits.length} sections` : `${hits.length} sections`), list);
}

function line(tag, text) {
  const e = document.createElement(tag);
  e.textContent = text;
  return e;
}

input.addEventListener("input", search);
form.addEventListener("submit", (e) => {
  e.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && e.target === document.body) {
    e.preventDefault();
    input.focus();
  } else if (e.key === "Escape") {
    input.value = "";
    found.replaceChildren();
  }
});
