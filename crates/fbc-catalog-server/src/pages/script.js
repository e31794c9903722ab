"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const search = byId("search");

  // --- packages narrow down while a word is typed; Enter searches everything

  const cards = [...document.querySelectorAll("#packages > .card")];
  const hideDeprecated = byId("hide-deprecated");

  function narrow() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const isShown = words.every((word) => card.dataset.words.includes(word)) &&
        !(hideDeprecated?.checked && card.classList.contains("deprecated"));
      card.hidden = !isShown;
      shown += isShown;
    }
    const all = Number(byId("shown").dataset.all);
    byId("shown").textContent = shown === all ? `${all} package${all === 1 ? "" : "s"}` : `${shown} of ${all} packages`;
    byId("none-found").hidden = shown > 0 || all === 0;
  }

  if (cards.length && search) {
    search.addEventListener("input", narrow);
    hideDeprecated?.addEventListener("change", narrow);
    // What a browser kept in the fields counts as typed.
    narrow();
  }

  // --- keys

  function step(direction) {
    const links = [...document.querySelectorAll("[data-step] a[href]")]
      .filter((link, place, all) => link.closest("[data-step]") !== all[place - 1]?.closest("[data-step]"))
      .filter((link) => link.offsetParent !== null);
    if (!links.length) return;
    const here = document.activeElement?.closest?.("[data-step]");
    const at = links.findIndex((link) => link.closest("[data-step]") === here);
    const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + direction))];
    next.focus();
    next.closest("[data-step]").scrollIntoView({ block: "nearest" });
  }

  function up() {
    const parent = [...document.querySelectorAll(".breadcrumbs a")].at(-1);
    if (parent) location.assign(parent.href);
    else if (location.pathname !== "/ui/") location.assign("/ui/");
  }

  const KEYS = { "/": () => { search?.focus(); search?.select(); }, j: () => step(1), k: () => step(-1), u: up };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && event.target === search) {
      search.value = "";
      search.dispatchEvent(new Event("input"));
      search.blur();
    } else if (event.key === "ArrowDown" && event.target === search && cards.length) {
      event.preventDefault();
      step(1);
    } else if (!isTyping && KEYS[event.key]) {
      event.preventDefault();
      KEYS[event.key]();
    }
  });

  // --- copying

  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1200);
    });
  }

  // --- answers follow the form

  const form = document.querySelector("form.ask");
  form?.addEventListener("change", (event) => {
    if (event.target.type !== "text") form.requestSubmit();
  });
  // Fields that say nothing are not part of the address.
  form?.addEventListener("submit", () => {
    const usual = { policy: "CatalogProvided", target: "latest" };
    for (const field of form.elements) {
      if (field.name && (field.value === "" || usual[field.name] === field.value)) field.disabled = true;
    }
  });
  window.addEventListener("pageshow", () => {
    for (const field of form?.elements ?? []) field.disabled = false;
  });

  document.documentElement.dataset.ready = "true";
})();
