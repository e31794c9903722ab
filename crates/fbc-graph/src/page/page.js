"use strict";
(() => {
  const packages = JSON.parse(document.getElementById("data").textContent);
  const pictures = [...document.querySelectorAll("#stage > svg")];
  const byId = (id) => document.getElementById(id);
  const stage = byId("stage");
  // Height of the title and the legend, which stay in place while the graph moves.
  const FIXED = 68;
  const state = { package: 0, semantics: document.documentElement.dataset.semantics, chosen: null, pinned: false, x: 0, y: FIXED, k: 1 };

  const graph = () => packages[state.package];
  const picture = () => pictures[state.package];
  const label = (node) => {
    const { name, version, release } = graph().nodes[node];
    return version ? (release ? `${version}-${release}` : version) : name;
  };
  const updates = () => graph().updates.filter((one) => one.semantics === state.semantics);
  const followed = () => updates()[byId("followed").selectedIndex];
  const title = (one) => (one.channels.length > 1 ? "any channel" : one.channels[0]);

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // --- pan and zoom

  function place() {
    const view = picture().querySelector(".view");
    view.setAttribute("transform", `translate(${state.x} ${state.y}) scale(${state.k})`);
    const headings = view.querySelector(".headings");
    headings.setAttribute("transform", `translate(0 ${Math.max(0, (FIXED - state.y) / state.k)})`);
  }

  function moveBy(dx, dy) {
    const box = stage.getBoundingClientRect();
    const size = picture().querySelector(".view").getBBox();
    const keep = 80;
    state.x = Math.min(box.width - keep, Math.max(keep - size.width * state.k, state.x + dx));
    state.y = Math.min(box.height - keep, Math.max(FIXED + keep - size.height * state.k, state.y + dy));
    place();
  }

  function zoom(factor, x, y) {
    const box = stage.getBoundingClientRect();
    const [atX, atY] = [x ?? box.width / 2, y ?? box.height / 2];
    const k = Math.min(4, Math.max(0.08, state.k * factor));
    state.x = atX - ((atX - state.x) * k) / state.k;
    state.y = atY - ((atY - state.y) * k) / state.k;
    state.k = k;
    place();
  }

  function reset() {
    // What is small is shown larger; what is large begins at its top in its own size.
    const box = stage.getBoundingClientRect();
    const size = picture().querySelector(".view").getBBox();
    const fit = Math.min(box.width / size.width, (box.height - FIXED) / size.height);
    Object.assign(state, { x: 0, y: FIXED, k: Math.min(1.7, Math.max(1, fit)) });
    place();
    if (fit < 1) begin(box, size);
  }

  // What does not fit begins with the head of the default channel, below a few versions that are newer.
  function begin(box, size) {
    const index = graph().channels.findIndex((one) => one.name === graph().defaultChannel);
    const head = graph().channels[index]?.heads[0];
    const row = head === undefined ? null : rowOf(head);
    if (!row) return;
    const headings = picture().querySelector(".headings rect").getBBox().height;
    const place = row.querySelector("rect").getBBox();
    const above = Math.max(0, place.y - headings - 3 * place.height) * state.k;
    const end = Math.max(0, size.height * state.k - (box.height - FIXED));
    moveBy(0, -Math.min(above, end));
    const dot = picture().querySelector(`.lane[data-channel="${index}"] .dot[data-node="${head}"]`);
    const x = dot ? dot.getBoundingClientRect().left - box.left : 0;
    if (x > box.width - 40) moveBy(box.width / 2 - x, 0);
  }

  // Brings a version into sight, and the first of its channels.
  function show(node) {
    const row = rowOf(node);
    if (!row) return;
    const box = stage.getBoundingClientRect();
    const size = picture().querySelector(".view").getBBox();
    const y = state.y + (Number(row.querySelector("rect").getAttribute("y")) + 11) * state.k;
    const isTall = size.height * state.k > box.height - FIXED;
    if (isTall && (y < FIXED + 60 * state.k || y > box.height - 30)) moveBy(0, box.height / 2 - y);
    const dot = picture().querySelector(`.lane:not(.off) .dot[data-node="${node}"]`);
    if (!dot) return;
    const x = dot.getBoundingClientRect().left - box.left;
    if (x < 0 || x > box.width - 40) moveBy(Math.min(-state.x, box.width / 2 - x), 0);
  }

  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    } else if (event.shiftKey && !event.deltaX) {
      moveBy(-event.deltaY, 0);
    } else {
      moveBy(-event.deltaX, -event.deltaY);
    }
  }, { passive: false });

  const fingers = new Map();
  let moved = 0;
  stage.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
  });
  stage.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
      const box = stage.getBoundingClientRect();
      zoom(distance(now) / Math.max(1, distance(before)), other[0] - box.left, other[1] - box.top);
    } else {
      moveBy(now[0] - before[0], now[1] - before[1]);
    }
    moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (moved > 4) stage.classList.add("dragged");
    fingers.set(event.pointerId, now);
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    window.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      stage.classList.remove("dragged");
    });
  }

  // --- what is chosen

  const rowOf = (node) => picture().querySelector(`.row[data-node="${node}"]`);
  const nodeAt = (target) => {
    const found = target.closest?.("[data-node]");
    return found ? Number(found.dataset.node) : null;
  };

  function route(node) {
    const next = followed()?.next ?? [];
    const steps = [node];
    for (let step = next[node]; step && !steps.includes(step.to); step = next[step.to]) steps.push(step.to);
    return steps;
  }

  function choose(node, isPinned) {
    state.chosen = node;
    state.pinned = isPinned && node !== null;
    for (const row of picture().querySelectorAll(".chosen, .on-route")) row.classList.remove("chosen", "on-route");
    if (node !== null && graph().nodes[node]) {
      for (const step of route(node)) rowOf(step)?.classList.add("on-route");
      rowOf(node)?.classList.add("chosen");
    }
    describe(node);
  }

  const STANDING = {
    atHead: "is what a new installation gets",
    reachesHead: "updates lead to the head",
    stopsShort: "updates end before the head",
    stuck: "is stuck: there is something newer, and no update to it",
    nothingNewer: "nothing newer",
    circle: "updates run in circles",
  };
  const REFUSAL = { noHead: "no head", severalHeads: "several heads", cycle: "a cycle" };

  function describe(node) {
    const details = byId("details");
    details.replaceChildren();
    const add = (...made) => details.append(...made);
    if (node === null || !graph().nodes[node]) {
      add(element("h2", graph().package));
      if (graph().deprecation) add(element("p", `Deprecated: ${graph().deprecation}`, "warning"));
      for (const channel of graph().channels) {
            const heads = channel.heads.map(label).join(", ") || "none";
        add(element("h3", `Channel ${channel.name}${channel.name === graph().defaultChannel ? " (default)" : ""}`));
        add(element("p", `${channel.entries.length} ${channel.entries.length === 1 ? "entry" : "entries"}, head ${heads}`));
        if (channel.deprecation) add(element("p", `Deprecated: ${channel.deprecation}`, "warning"));
        if (!channel.isSound) {
          const why = channel.heads.length !== 1 ? `${channel.heads.length} heads` : channel.cycle.length ? "a cycle"
            : `stranded ${channel.stranded.map(label).join(", ")}`;
          add(element("p", `opm refuses it: ${why}`, "alarm"));
        }
      }
      const help = element("p");
      help.innerHTML = "Point at a version for details, click to keep it. <kbd>↑</kbd> <kbd>↓</kbd> next version, " +
        "<kbd>/</kbd> search, <kbd>v</kbd> OLM v0 or v1, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom, <kbd>Esc</kbd> clear.";
      add(element("h3", "Help"), help);
      return;
    }
    const { name, kind, deprecation } = graph().nodes[node];
    add(element("h2", label(node)), element("p", name));
    if (kind !== "bundle") add(element("p", "The catalog does not have this bundle; it only names it.", "warning"));
    if (deprecation) add(element("p", `Deprecated: ${deprecation}`, "warning"));
    for (const one of updates()) {
      const isMember = one.channels.length > 1 || graph().channels.some((channel) => channel.name === one.channels[0] &&
        channel.entries.some((entry) => entry.node === node || entry.replaces === node || entry.skips?.includes(node)));
      const step = one.next[node];
      if (!isMember && !step && one !== followed()) continue;
      add(element("h3", `Following ${title(one)}${isMember ? "" : " (from another channel)"}`));
      if (one.refusal) {
        add(element("p", `OLM v0 refuses the channel: ${REFUSAL[one.refusal]}`, "alarm"));
        continue;
      }
      const standing = one.standing[node];
      const isBad = standing === "stuck" || standing === "circle" || standing === "stopsShort";
      add(element("p", step ? `updates to ${label(step.to)} by ${step.edge} (${step.channel})` : STANDING[standing],
        !step && isBad ? "alarm" : ""));
      if (step && isBad) add(element("p", STANDING[standing], "alarm"));
    }
    if (route(node).length > 2) {
      add(element("h3", `Route, following ${title(followed())}`), element("p", route(node).map(label).join(" → ")));
    }
    for (const channel of graph().channels) {
      const entry = channel.entries.find((one) => one.node === node);
      if (!entry) continue;
      add(element("h3", `Entry in ${channel.name}`));
      const list = element("dl");
      const line = (key, value) => value && list.append(element("dt", key), element("dd", value));
      line("replaces", entry.replaces === undefined ? "" : label(entry.replaces));
      line("skips", entry.skips?.map(label).join(", "));
      line("skipRange", entry.skipRange);
      line("range error", entry.rangeError);
      line("skipped", entry.isSkipped ? "by another entry" : "");
      add(list.children.length ? list : element("p", "no edges lead to it"));
    }
  }

  stage.addEventListener("pointerover", (event) => {
    const node = nodeAt(event.target);
    if (node !== null && !state.pinned && !fingers.size) choose(node, false);
  });
  stage.addEventListener("click", (event) => {
    if (moved > 4) return;
    const node = nodeAt(event.target);
    choose(state.pinned && node === state.chosen ? null : node, true);
  });

  // --- choices

  function search() {
    const wanted = byId("search").value.trim().toLowerCase();
    picture().classList.toggle("searching", wanted !== "");
    const found = [];
    for (const row of picture().querySelectorAll(".row")) {
      const node = Number(row.dataset.node);
      const { name, version } = graph().nodes[node];
      const isFound = wanted !== "" && (name.toLowerCase().includes(wanted) || (version ?? "").toLowerCase().includes(wanted));
      row.classList.toggle("found", isFound);
      if (isFound) found.push(node);
    }
    byId("found").value = wanted === "" ? "" : `${found.length} found`;
    return found;
  }

  function fillFollowed() {
    const select = byId("followed");
    const before = select.value;
    select.replaceChildren(...updates().map((one) => element("option", title(one))));
    const names = updates().map(title);
    const wanted = [before, state.semantics === "v1" ? "any channel" : graph().defaultChannel].find((name) => names.includes(name));
    if (wanted) select.value = wanted;
  }

  function setSemantics(semantics) {
    state.semantics = semantics;
    document.documentElement.dataset.semantics = semantics;
    for (const one of pictures) {
      one.classList.remove("v0", "v1");
      one.classList.add(semantics);
    }
    for (const radio of document.querySelectorAll("input[name=semantics]")) radio.checked = radio.value === semantics;
    fillFollowed();
    choose(state.chosen, state.pinned);
  }

  function arrange() {
    const hidden = new Set([...byId("channels").querySelectorAll("input:not(:checked)")].map((box) => box.value));
    const lanes = [...picture().querySelectorAll(".lane")];
    let x = Math.min(...lanes.map((lane) => Number(lane.dataset.start ??= lane.transform.baseVal[0]?.matrix.e ?? 0)));
    const rows = new Set();
    for (const lane of lanes) {
      const isHidden = hidden.has(lane.dataset.channel);
      const heading = picture().querySelector(`.heading[data-channel="${lane.dataset.channel}"]`);
      lane.classList.toggle("off", isHidden);
      heading.classList.toggle("off", isHidden);
      if (isHidden) continue;
      for (const part of [lane, heading]) part.setAttribute("transform", `translate(${x} 0)`);
      x += Number(lane.dataset.width);
      for (const dot of lane.querySelectorAll(".dot")) rows.add(dot.dataset.node);
    }
    const isFiltered = hidden.size > 0;
    for (const row of picture().querySelectorAll(".row")) row.classList.toggle("dim", isFiltered && !rows.has(row.dataset.node));
    if (isFiltered) {
      const first = picture().querySelector(".row:not(.dim)");
      if (first) show(Number(first.dataset.node));
    }
  }

  function fillChannels() {
    const all = element("button", "All or none");
    all.addEventListener("click", () => {
      const boxes = [...byId("channels").querySelectorAll("input")];
      const isAny = boxes.some((box) => box.checked);
      for (const box of boxes) box.checked = !isAny;
      arrange();
    });
    const boxes = [...picture().querySelectorAll(".heading")].map((heading) => {
      const box = element("input");
      Object.assign(box, { type: "checkbox", checked: true, value: heading.dataset.channel });
      box.addEventListener("change", arrange);
      const line = element("label");
      line.append(box, ` ${graph().channels[Number(heading.dataset.channel)].name}`);
      return line;
    });
    byId("channels").replaceChildren(all, ...boxes);
  }

  function setPackage(index) {
    state.package = index;
    pictures.forEach((one, number) => one.classList.toggle("shown", number === index));
    byId("package").selectedIndex = index;
    fillChannels();
    setSemantics(state.semantics);
    choose(null, false);
    search();
    reset();
  }

  byId("package").replaceChildren(...packages.map((one) => element("option", one.package)));
  byId("package-choice").hidden = packages.length < 2;
  byId("package").addEventListener("change", (event) => setPackage(event.target.selectedIndex));
  byId("followed").addEventListener("change", () => choose(state.chosen, state.pinned));
  for (const radio of document.querySelectorAll("input[name=semantics]")) {
    radio.addEventListener("change", () => setSemantics(radio.value));
  }
  byId("in").addEventListener("click", () => zoom(1.25));
  byId("out").addEventListener("click", () => zoom(0.8));
  byId("fit").addEventListener("click", reset);
  byId("search").addEventListener("input", () => {
    const found = search();
    if (found.length) show(found.at(-1));
  });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = search();
    if (!found.length) return;
    const node = found[(found.indexOf(state.chosen) + 1) % found.length];
    choose(node, true);
    show(node);
  });

  function step(direction) {
    const rows = [...picture().querySelectorAll(".row:not(.dim)")].map((row) => Number(row.dataset.node));
    if (!rows.length) return;
    const at = rows.indexOf(state.chosen);
    const node = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + direction))];
    choose(node, true);
    show(node);
  }

  const KEYS = {
    "/": () => byId("search").focus(),
    v: () => setSemantics(state.semantics === "v0" ? "v1" : "v0"),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: reset,
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    ArrowLeft: () => moveBy(60, 0),
    ArrowRight: () => moveBy(-60, 0),
    PageDown: () => moveBy(0, -stage.clientHeight * 0.8),
    PageUp: () => moveBy(0, stage.clientHeight * 0.8),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      byId("search").value = "";
      byId("filter").open = false;
      search();
      choose(null, false);
      stage.focus();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select, summary") && KEYS[event.key]) {
      event.preventDefault();
      KEYS[event.key]();
    }
  });

  for (const one of pictures) {
    for (const name of ["viewBox", "width", "height"]) one.removeAttribute(name);
    // The title and the legend lie above the graph, on paper of their own.
    const legend = one.querySelector(".legend");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ class: "paper", width: "100%", height: FIXED })) paper.setAttribute(key, value);
    legend.prepend(paper);
    one.append(legend);
  }

  // An address can carry choices, such as #package=etcd&semantics=v0&version=0.9.4.
  const wanted = new URLSearchParams(location.hash.slice(1));
  setPackage(Math.max(0, packages.findIndex((one) => one.package === wanted.get("package"))));
  if (["v0", "v1"].includes(wanted.get("semantics"))) setSemantics(wanted.get("semantics"));
  const version = wanted.get("version");
  const asked = graph().nodes.findIndex((one) => one.version === version || one.name === version);
  if (version !== null && asked >= 0) {
    choose(asked, true);
    show(asked);
  }
  document.documentElement.dataset.ready = "true";
})();
