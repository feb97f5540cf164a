
"use strict";
(() => {
  const changes = Array.from(document.querySelectorAll(".change"));
  const files = Array.from(document.querySelectorAll("section.file"));
  const where = document.getElementById("where");
  const help = document.getElementById("help");
  help.hidden = false;
  if (changes.length === 0) return;
  document.getElementById("keys").hidden = false;
  let at = -1;
  const count = () => { where.textContent = at < 0 ? changes.length + (changes.length === 1 ? " change" : " changes") : "Change " + (at + 1) + " of " + changes.length; };
  const open = (el) => { for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; };
  const show = (el) => {
    open(el);
    el.focus({ preventScroll: true });
    el.scrollIntoView({ block: "center", inline: "nearest" });
  };
  const go = (step) => {
    at = Math.min(changes.length - 1, Math.max(0, at + step));
    show(changes[at]);
    count();
  };
  const goFile = (step) => {
    const y = document.activeElement ? files.findIndex((f) => f.contains(document.activeElement)) : -1;
    const f = files[Math.min(files.length - 1, Math.max(0, y + step))];
    f.focus({ preventScroll: true });
    f.scrollIntoView({ block: "start" });
    const first = changes.findIndex((c) => f.contains(c));
    if (first >= 0) at = first - 1;
  };
  document.addEventListener("focusin", (e) => {
    const c = e.target.closest ? e.target.closest(".change") : null;
    if (c) { at = changes.indexOf(c); count(); }
  });
  document.getElementById("next").addEventListener("click", () => go(1));
  document.getElementById("prev").addEventListener("click", () => go(-1));
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing) return;
    switch (e.key) {
      case "n": case "j": go(1); break;
      case "p": case "k": go(-1); break;
      case "N": goFile(1); break;
      case "P": goFile(-1); break;
      case "t": document.querySelector(".skip").focus(); window.scrollTo(0, 0); at = -1; count(); break;
      case "?": { const d = help.closest("details"); d.open = true; d.querySelector("summary").focus(); d.scrollIntoView({ block: "center" }); break; }
      default: return;
    }
    e.preventDefault();
  });
  count();
})();
