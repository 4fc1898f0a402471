"use strict";
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(root).colorScheme === "dark" ||
    (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
});
const form = document.querySelector(".filters");
function show() {
  const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = document.getElementById("rule").value;
  const level = document.getElementById("level").value;
  const state = document.getElementById("state").value;
  let shown = 0;
  for (const file of document.querySelectorAll(".file")) {
    let here = 0;
    for (const card of file.querySelectorAll("details")) {
      const fits = (!level || card.dataset.level === level) &&
        (!rule || card.dataset.rule === rule) && (!state || card.dataset.state === state) &&
        words.every((word) => card.dataset.words.includes(word));
      card.hidden = !fits;
      here += fits ? 1 : 0;
    }
    file.hidden = !here;
    shown += here;
  }
  document.getElementById("count").textContent = `${shown} shown`;
}
if (form) {
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
