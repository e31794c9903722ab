"use strict";
const runs = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const QUIET_KINDS = new Set(["Secret", "ConfigMap", "ServiceAccount", "Namespace", "CustomResourceDefinition", "Pod", "ReplicaSet"]);
const ROW = 20, LABEL = 330, BAR = 15;
let run = runs[0], bars = [], chosen = -1;

function element(name, attributes, ...children) {
  const svg = ["svg", "g", "rect", "line", "text", "circle", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
function clock(ms) {
  const s = Math.floor(ms / 1000), two = (n) => String(n).padStart(2, "0");
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}.${Math.floor(ms % 1000 / 100)}`;
}

// Conditions that say something bad when they are true; and those that say what goes on, which is neither.
const BAD_IF_TRUE = /(Deprecated|Degraded|Failing|Failed|Failure|Pressure|Unavailable|Exhausted|Invalid|Stalled|Terminating|DisruptionTarget)$/;
const ACTIVITY = /^(Progressing|Updating|Upgrading|Suspended|ScalingLimited|RemediationInProgress)$/;
const IN_TROUBLE = /^(Retrying|Blocked|ProgressDeadlineExceeded)$|Fail|Error|Invalid/;
function toneOf({ type, status, reason }) {
  if (status === "Unknown") return "unknown";
  const is = status === "True";
  if (!ACTIVITY.test(type)) return is !== BAD_IF_TRUE.test(type) ? "good" : "bad";
  if (IN_TROUBLE.test(reason)) return "bad";
  return is && !/^(Succeeded|NewReplicaSetAvailable)$/.test(reason) ? "field" : "good";
}

// Everything about an object in rows: one for each condition and each field, and marks for what happens at once.
function objectsOf(run) {
  const objects = new Map();
  for (const entry of run.timeline) {
    const key = `${entry.kind}/${entry.object}`;
    if (!objects.has(key)) objects.set(key, { key, kind: entry.kind, rows: new Map(), marks: [], speaks: false, from: entry.at_ms });
    const object = objects.get(key);
    const row = (name) => {
      if (!object.rows.has(name)) object.rows.set(name, []);
      object.speaks = true;
      return object.rows.get(name);
    };
    const close = (bars) => { if (bars.length && bars[bars.length - 1].to === null) bars[bars.length - 1].to = entry.at_ms; };
    if (entry.condition) {
      const bars = row(entry.condition.type);
      close(bars);
      if (entry.condition.status) bars.push({ from: entry.at_ms, to: null, object: key, condition: entry.condition });
    } else if (entry.field) {
      const bars = row(entry.field.name);
      close(bars);
      if (entry.field.value) bars.push({ from: entry.at_ms, to: null, object: key, field: entry.field });
    } else if (entry.event) {
      object.speaks = true;
      object.marks.push(entry);
    } else {
      object.marks.push(entry);
      if (entry.what === "deleted") object.rows.forEach(close);
    }
  }
  for (const object of objects.values())
    for (const bars of object.rows.values())
      for (const bar of bars) if (bar.to === null) bar.to = run.end_ms;
  return [...objects.values()];
}

// Where pods were, by node, and which pod came for which: one of the same owner that had to go before it came.
function stays(run) {
  const open = new Map(), all = [];
  for (const entry of run.timeline) {
    if (entry.kind !== "Pod") continue;
    const stay = open.get(entry.object);
    if (entry.field && entry.field.name === "node" && entry.field.value) {
      const owner = entry.object.replace(/-[a-z0-9]{5}$/, "");
      const made = { pod: entry.object, owner, node: entry.field.value, from: entry.at_ms, to: run.end_ms, leaves: Infinity, end: "" };
      open.set(entry.object, made);
      all.push(made);
    } else if (stay && entry.what === "deletion requested") stay.leaves = entry.at_ms;
    else if (stay && (entry.what === "deleted" || entry.field && entry.field.name === "phase" && /Failed|Succeeded/.test(entry.field.value))) {
      stay.to = entry.at_ms;
      stay.leaves = Math.min(stay.leaves, entry.at_ms);
      stay.end = entry.what || entry.field.value;
      open.delete(entry.object);
    }
  }
  for (const stay of all) {
    const before = all.filter((one) => one.owner === stay.owner && one.owner !== one.pod && !one.replacedBy && one.leaves <= stay.from);
    stay.replaces = before.sort((a, b) => a.leaves - b.leaves)[0];
    if (stay.replaces) stay.replaces.replacedBy = stay;
  }
  return all;
}
// As few lanes as hold these stays without overlaps.
function packed(list) {
  const lanes = [];
  for (const stay of list) {
    const lane = lanes.find((one) => one[one.length - 1].to <= stay.from);
    if (lane) lane.push(stay); else lanes.push([stay]);
  }
  return lanes;
}
function hue(text) {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.codePointAt(0)) % 360;
  return hash;
}

// Time is not to scale: a pause takes room by its logarithm, so that seconds and hours fit on one page.
function scaleOf(run) {
  const moments = new Set([0, run.end_ms]);
  run.timeline.forEach((entry) => moments.add(entry.at_ms));
  run.steps.forEach((step) => moments.add(step.at_ms));
  const sorted = [...moments].sort((a, b) => a - b);
  const place = new Map();
  let x = 8;
  sorted.forEach((moment, index) => {
    if (index) x += 7 + 9 * Math.log2(1 + (moment - sorted[index - 1]) / 250);
    place.set(moment, x);
  });
  // Room for the last label, the margins, and a scroll bar beside.
  const wide = Math.max(by("left").clientWidth - LABEL - 120, 500);
  const factor = x < wide ? wide / x : 1;
  return { at: (moment) => LABEL + place.get(moment) * factor, width: LABEL + x * factor + 70, moments: sorted };
}

function drawChart() {
  const search = by("search").value.toLowerCase();
  const shown = objectsOf(run).filter((object) =>
    search ? object.key.toLowerCase().includes(search) : by("all").checked || (object.speaks && !QUIET_KINDS.has(object.kind)));
  const scale = scaleOf(run);
  const steps = run.steps.filter((step) => step.number > 0);
  const top = 46;
  let y = top;
  const content = element("g");
  const everywhere = stays(run);
  bars = [];
  shown.forEach((object, index) => {
    const lanes = object.kind === "Node" ? packed(everywhere.filter((stay) => `Node/${stay.node}` === object.key)) : [];
    const height = (object.rows.size + lanes.length + 1) * ROW;
    if (index % 2) content.append(element("rect", { class: "stripe", x: 0, y, width: scale.width, height }));
    content.append(element("text", { class: "object", x: 4, y: y + 14 }, object.key.length > 50 ? `${object.key.slice(0, 49)}…` : object.key,
      element("title", {}, object.key)));
    for (const mark of object.marks) {
      const circle = element("circle", { class: `mark ${mark.event ? mark.event.type : ""}`, cx: scale.at(mark.at_ms), cy: y + 9, r: 4 },
        element("title", {}, `${clock(mark.at_ms)} ${mark.what || mark.event.reason}`));
      circle.addEventListener("click", () => tell(object.key, mark.at_ms, mark.what ? { what: mark.what } : mark.event));
      content.append(circle);
    }
    y += ROW;
    for (const [name, list] of object.rows) {
      content.append(element("text", { class: "faint", x: 18, y: y + 13 }, name));
      for (const bar of list) {
        const x = scale.at(bar.from), width = Math.max(scale.at(bar.to) - x, 3);
        const says = bar.condition ? (bar.condition.reason || bar.condition.status) : bar.field.value;
        const short = name === "taints" ? says.replace(/[\w.-]+\//g, "") : says;
        const group = element("g", { class: "entry" },
          element("rect", { class: `bar ${bar.condition ? toneOf(bar.condition) : "field"}`, x, y: y + 1, width, height: BAR, rx: 3 }),
          width > 24 ? element("text", { x: x + 4, y: y + 13, "pointer-events": "none" }, short.slice(0, Math.floor((width - 6) / 7))) : null,
          element("title", {}, `${clock(bar.from)} ${name}: ${says}`));
        const number = bars.length;
        group.addEventListener("click", () => choose(number));
        bars.push({ ...bar, name, group });
        content.append(group);
      }
      y += ROW;
    }
    lanes.forEach((lane, number) => {
      if (!number) content.append(element("text", { class: "faint", x: 18, y: y + 13 }, "pods"));
      for (const stay of lane) {
        const x = scale.at(stay.from), width = Math.max(scale.at(stay.to) - x, 3);
        stay.place = { x, y: y + 1 + BAR / 2, end: x + width };
        const group = element("g", { class: "entry" },
          element("rect", { class: "bar pod", fill: `hsl(${hue(stay.owner)} 55% 70% / .6)`, x, y: y + 1, width, height: BAR, rx: 3 }),
          width > 24 ? element("text", { x: x + 4, y: y + 13, "pointer-events": "none" }, stay.pod.slice(0, Math.floor((width - 6) / 7))) : null,
          element("title", {}, `${clock(stay.from)} to ${clock(stay.to)} ${stay.pod} ${stay.end}`));
        const bar = bars.length;
        group.addEventListener("click", () => choose(bar));
        bars.push({ from: stay.from, to: stay.to, object: `Pod/${stay.pod}`, field: { name: "node", value: stay.node }, name: "node", group });
        content.append(group);
      }
      y += ROW;
    });
  });
  for (const { place, replaces } of everywhere)
    if (place && replaces && replaces.place && replaces.place.y !== place.y)
      content.append(element("line", { class: "move", x1: replaces.place.end, y1: replaces.place.y, x2: place.x, y2: place.y }));
  const svg = element("svg", { width: scale.width, height: y + 10, viewBox: `0 0 ${scale.width} ${y + 10}` });
  let last = -100;
  for (const moment of scale.moments) {
    const x = scale.at(moment);
    if (x - last < 74) continue;
    last = x;
    svg.append(element("text", { class: "faint", x: x - 4, y: 12 }, clock(moment)));
  }
  svg.append(content);
  const crowd = new Map();
  for (const step of steps) {
    const x = scale.at(step.at_ms), same = crowd.get(x) || 0;
    crowd.set(x, same + 1);
    svg.append(element("line", { class: "step", x1: x, x2: x, y1: 18, y2: y }),
      element("text", { class: "step", x: x + 3 + same * 18, y: 30 }, String(step.number), element("title", {}, step.name)));
  }
  if (!shown.length) svg.append(element("text", { class: "faint", x: 10, y: top + 14 }, "No object to show."));
  by("chart").replaceChildren(svg);
}

function choose(number) {
  if (!bars[number]) return;
  if (bars[chosen]) bars[chosen].group.firstChild.classList.remove("chosen");
  chosen = number;
  const bar = bars[number];
  bar.group.firstChild.classList.add("chosen");
  const says = bar.condition
    ? { type: bar.condition.type, status: bar.condition.status, reason: bar.condition.reason, message: bar.condition.message }
    : { [bar.field.name]: bar.field.value };
  tell(bar.object, bar.from, { ...says, until: clock(bar.to) });
}

function tell(object, at, says) {
  const list = element("dl", {}, element("dt", {}, "at"), element("dd", {}, clock(at)));
  for (const [key, value] of Object.entries(says)) list.append(element("dt", {}, key), element("dd", {}, String(value)));
  by("details").replaceChildren(element("h2", {}, object), list);
}

function drawLists() {
  const expectations = run.expectations.map((result) => element("li", {},
    element("span", { class: result.met ? "good" : "bad" }, result.met ? "met " : "not met "),
    `${result.wanted} `, element("span", { class: "faint" }, `line ${result.line}, ${clock(result.at_ms)}`),
    result.seen ? element("span", { class: "seen" }, `seen: ${result.seen}`) : null));
  by("expectations").replaceChildren(...(expectations.length ? expectations : [element("p", { class: "faint" }, "There were none.")]));
  by("steps").replaceChildren(...run.steps.map((step) => element("li", {},
    element("span", { class: "faint" }, `${clock(step.at_ms)} `), step.name,
    step.fault ? element("span", { class: "bad" }, ` ${step.fault}`) : null,
    step.printed ? element("pre", {}, step.printed) : null)));
  const events = run.timeline.filter((entry) => entry.event);
  const cell = (text) => element("td", {}, text);
  by("events").replaceChildren(...(events.length ? events.map((entry) => element("tr", {}, cell(clock(entry.at_ms)),
    cell(`${entry.kind}/${entry.object}`), cell(entry.event.type), cell(entry.event.reason), cell(entry.event.message)))
    : [element("tr", {}, element("td", { class: "faint" }, "There were none."))]));
  const kinds = new Map();
  for (const object of run.objects) {
    if (!kinds.has(object.kind)) kinds.set(object.kind, []);
    kinds.get(object.kind).push(object);
  }
  by("state").replaceChildren(...[...kinds].sort((a, b) => a[0].localeCompare(b[0])).map(([kind, objects]) => {
    const folded = element("details", {}, element("summary", {}, `${kind} (${objects.length})`));
    folded.addEventListener("toggle", () => {
      if (folded.children.length > 1) return;
      for (const object of objects) {
        const name = [object.metadata.namespace, object.metadata.name].filter(Boolean).join("/");
        folded.append(element("details", { style: "margin-left: 1.2em" }, element("summary", {}, name),
          element("pre", {}, JSON.stringify(object, null, 2))));
      }
    });
    return folded;
  }));
}

function show() {
  run = runs[Number(by("run").value)] || runs[0];
  chosen = -1;
  by("verdict").textContent = run.success ? "passed" : "failed";
  by("verdict").className = run.success ? "good" : "bad";
  by("facts").textContent = `seed ${run.seed} · ${clock(run.end_ms)} of virtual time from ${run.start} · trace ${run.hash.slice(0, 12)}`
    + (run.stopped ? ` · stopped: ${run.stopped}` : "");
  drawChart();
  drawLists();
  document.title = `${run.title}: ${run.success ? "passed" : "failed"}`;
}

runs.forEach((one, index) => by("run").append(element("option", { value: index }, `${one.success ? "✓" : "✗"} ${one.title}`)));
by("run").value = Math.max(runs.findIndex((one) => !one.success), 0);
by("run-choice").hidden = runs.length < 2;
by("run").addEventListener("change", show);
by("search").addEventListener("input", drawChart);
by("all").addEventListener("change", drawChart);
window.addEventListener("resize", drawChart);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== by("search")) { event.preventDefault(); by("search").focus(); }
});
by("chart").addEventListener("keydown", (event) => {
  const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  choose(Math.min(Math.max(chosen + move, 0), bars.length - 1));
});
show();
document.documentElement.dataset.ready = "true";
