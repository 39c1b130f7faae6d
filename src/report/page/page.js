// Draws the page from the embedded data. Text is inserted as text nodes only, because names may contain markup.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const palette = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e",
                 "#9498a0"];
const mostColoured = palette.length - 1;  // the last colour is for all other queues

// ---- elements

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null) continue;
    if (key === "class") node.className = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const named = (name) => el("bdi", {title: name}, name);
// A formatted number, with its field and raw value in the JSON as attributes.
const value = (field, raw, text) => el("span", {"data-field": field, "data-value": raw}, text);

// ---- numbers and times

const grouped = (n, digits = 0) =>
  n.toLocaleString("en-US", {minimumFractionDigits: 0, maximumFractionDigits: digits});
const percent = (share) => `${grouped(share * 100, 1)} %`;
const hours = (seconds) => grouped(seconds / 3600, 1);

function lasting(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.round(seconds);
  if (seconds > 0 && s === 0) return "<1s";
  const parts = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
  const first = parts.findIndex(([size]) => s >= size);
  if (first < 0) return "0s";
  const [size, unit] = parts[first], whole = Math.floor(s / size), next = parts[first + 1];
  const rest = next && Math.floor((s % size) / next[0]);
  return `${whole}${unit}` + (rest ? ` ${rest}${next[1]}` : "");
}
const seconds = (time) => Date.parse(time) / 1000;
const moment = (s) => new Date(s * 1000).toISOString().slice(0, 19).replace("T", " ");
const rounded = (n) => grouped(n, Math.abs(n) >= 100 ? 0 : Math.abs(n) >= 1 ? 2 : 4);

// ---- charts

const charts = [];  // entries with a function that creates the chart
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function chart(title, make, {low = false, note} = {}) {
  const canvas = el("canvas", {role: "img", "aria-label": title});
  const entry = {canvas, make, shown: null};
  charts.push(entry);
  return el("div", {class: "card"}, el("h3", {}, title), el("div", {class: low ? "chart low" : "chart"}, canvas),
            note ? el("p", {class: "note"}, note) : null);
}

function drawAll() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.color = styleOf("--dim");
  Chart.defaults.borderColor = styleOf("--line");
  Chart.defaults.animation = false;
  for (const entry of charts) {
    if (entry.shown) entry.shown.destroy();
    entry.shown = new Chart(entry.canvas, entry.make());
  }
}

// Round times for the labels of a time axis.
function timeTicks(from, to) {
  const steps = [60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 14 * 86400,
                 30 * 86400, 90 * 86400, 365 * 86400];
  const step = steps.find((size) => (to - from) / size <= 10) || (to - from) / 8;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({value: at});
  return ticks;
}
const tickText = (span) => (at) => {
  const text = new Date(at * 1000).toUTCString();  // "Sun, 01 Jun 2025 12:00:00 GMT"
  return span > 2 * 86400 ? text.slice(5, 11) : text.slice(17, 22);
};

function timeAxis(from, to) {
  return {type: "linear", min: from, max: to, grid: {display: false},
          afterBuildTicks: (axis) => { axis.ticks = timeTicks(from, to); },
          ticks: {callback: tickText(to - from), maxRotation: 0}};
}

const legendLabels = {usePointStyle: true, pointStyle: "rectRounded", boxWidth: 9, boxHeight: 9};
const shortName = (name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);
const line = (label, color, points, more) => ({label: shortName(label), data: points, borderColor: color,
  backgroundColor: color, borderWidth: 1.6, pointRadius: 0, pointHitRadius: 6, stepped: true, ...more});

function timeChart(from, to, datasets, {stacked = false, top, end} = {}) {
  return {type: "line", data: {datasets},
    options: {responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
      interaction: {mode: "index", intersect: false},
      scales: {x: timeAxis(from, to), y: {stacked, beginAtZero: true, suggestedMax: top, max: end, ticks: {precision: 0}}},
      plugins: {legend: {position: "bottom", labels: legendLabels},
        tooltip: {callbacks: {title: (items) => (items.length ? `${moment(items[0].parsed.x)} UTC` : ""),
          label: (item) => `${item.dataset.label}: ${rounded(item.parsed.y)}`}}}}};
}

const pointsOf = (at, values) => at.map((x, i) => ({x, y: values[i]}));

// ---- one run

// Assigns colours to the queues that used most. The other queues are drawn together.
function coloured(run) {
  const used = (queue) => queue.gpuSeconds.used + queue.gpuSeconds.fair * 1e-6 + queue.jobs * 1e-9;
  const order = [...run.report.queues].sort((a, b) => used(b) - used(a) || (a.name < b.name ? -1 : 1));
  const shown = order.length > mostColoured + 1 ? order.slice(0, mostColoured) : order;
  const names = shown.map((queue) => queue.name).sort();
  const colours = new Map(names.map((name, i) => [name, palette[i % palette.length]]));
  return {names, others: order.length - names.length, of: (name) => colours.get(name) || palette[mostColoured]};
}

// Values per queue; queues without their own colour are added up.
function stackOf(run, colours, valuesOf, zero) {
  const stack = colours.names.map((name) => ({name, colour: colours.of(name), values: valuesOf(name)}));
  if (colours.others > 0) {
    const rest = zero.slice();
    for (const queue of run.report.queues)
      if (!colours.names.includes(queue.name)) valuesOf(queue.name).forEach((v, i) => { rest[i] += v; });
    stack.push({name: `${colours.others} others`, colour: palette[mostColoured], values: rest});
  }
  return stack;
}

// Limits the axis if requests far exceed the capacity; otherwise the use would be a line at the bottom.
function gpuChart(run) {
  const {series} = run.report, at = series.at.map(seconds), most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const free = series.gpus.map((all, i) => Math.max(0, all - series.gpusUsed[i]));
  const total = most(series.gpus), requested = most(series.gpusWanted), isCut = total > 0 && requested > 3 * total;
  const note = "“Requested” includes running and pending pods." +
    (isCut ? ` The axis ends at ${grouped(2 * total)}; up to ${grouped(requested)} were requested.` : "");
  return chart("GPUs used, requested and free", () => timeChart(at[0], at[at.length - 1], [
    line("used", palette[0], pointsOf(at, series.gpusUsed), {fill: "origin", backgroundColor: `${palette[0]}55`, order: 4}),
    line("requested", palette[2], pointsOf(at, series.gpusWanted), {order: 1}),
    line("free", palette[3], pointsOf(at, free), {borderWidth: 1.2, order: 3}),
    line("total", styleOf("--dim"), pointsOf(at, series.gpus), {borderDash: [5, 4], borderWidth: 1.2, order: 2}),
  ], {end: isCut ? 2 * total : undefined}), {note});
}

function waitingChart(run) {
  const {series} = run.report, at = series.at.map(seconds);
  return chart("Pending jobs", () => timeChart(at[0], at[at.length - 1],
    [line("pending", palette[1], pointsOf(at, series.jobsWaiting), {fill: "origin", backgroundColor: `${palette[1]}55`})]),
    {low: true});
}

function shareChart(run, colours, key, title, top) {
  const {series} = run.report, at = series.at.map(seconds), zero = at.map(() => 0);
  const valuesOf = (name) => (series.queues[name] ? series.queues[name][key] : zero);
  return chart(title, () => timeChart(at[0], at[at.length - 1],
    stackOf(run, colours, valuesOf, zero).map((queue, i) => line(queue.name, queue.colour, pointsOf(at, queue.values),
      {fill: i === 0 ? "origin" : "-1", backgroundColor: `${queue.colour}88`, borderWidth: 1})),
    {stacked: true, top}));
}

function shareCharts(run, colours) {
  const sums = ["used", "fair"].flatMap((key) => run.report.series.at.map((_, i) =>
    run.report.queues.reduce((sum, {name}) => sum + (((run.report.series.queues[name] || {})[key] || [])[i] || 0), 0)));
  const top = sums.reduce((a, b) => Math.max(a, b), 0);
  return el("div", {class: "pair"}, shareChart(run, colours, "used", "GPUs in use, by queue", top),
            shareChart(run, colours, "fair", "Fair share, by queue", top));
}

function waitsChart(run, colours) {
  const valuesOf = (name) => (run.waits.queues.find((queue) => queue.name === name) || {counts: run.waits.bins.map(() => 0)}).counts;
  return chart("How long jobs waited, by queue", () => ({type: "bar",
    data: {labels: run.waits.bins, datasets: stackOf(run, colours, valuesOf, run.waits.bins.map(() => 0)).map((queue) =>
      ({label: shortName(queue.name), data: queue.values, backgroundColor: queue.colour, stack: "jobs"}))},
    options: {responsive: true, maintainAspectRatio: false, interaction: {mode: "index", intersect: false},
      scales: {x: {stacked: true, grid: {display: false}}, y: {stacked: true, beginAtZero: true, ticks: {precision: 0},
        title: {display: true, text: "jobs"}}},
      plugins: {legend: {position: "bottom", labels: legendLabels}}}}),
    {note: "From submission until the minimum number of pods first ran."});
}

function tiles(run, name) {
  const {cluster, queues} = run.report, sum = (of) => queues.reduce((all, queue) => all + of(queue), 0);
  const evictions = sum((queue) => Object.values(queue.evictions).reduce((a, b) => a + b, 0));
  const tile = (label, node) => el("div", {class: "tile"}, el("b", {}, node), el("span", {}, label));
  const own = (field, raw, text) => value(`${name}.${field}`, raw, text);
  return el("div", {class: "tiles"},
    tile("GPU utilisation", own("cluster.gpuUtilisation", cluster.gpuUtilisation, percent(cluster.gpuUtilisation))),
    tile("of GPU time idle with jobs pending", own("cluster.gpuFragmentation", cluster.gpuFragmentation,
                                            percent(cluster.gpuFragmentation))),
    tile(`GPUs on ${grouped(cluster.nodes)} nodes`, own("cluster.gpus", cluster.gpus, grouped(cluster.gpus, 2))),
    tile("until the last job finished", own("cluster.makespanSeconds", cluster.makespanSeconds, lasting(cluster.makespanSeconds))),
    tile(`of ${grouped(sum((queue) => queue.jobs))} jobs finished`, grouped(sum((queue) => queue.finished))),
    tile("jobs never started", grouped(sum((queue) => queue.neverStarted))),
    tile("GPU-hours lost", hours(sum((queue) => queue.gpuSeconds.lost))),
    tile("pods evicted", grouped(evictions)));
}

function table(columns, rows) {
  const head = columns.map(([title, kind]) => el("th", {class: kind ? "text" : null}, title));
  return el("div", {class: "card scroll"}, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {},
    ...rows.map(({cells, kind}) => el("tr", {class: kind},
      ...cells.map((cell, i) => el("td", {class: columns[i][1]}, cell)))))));
}

function queueTable(run, colours, name) {
  const columns = [["Queue", "name"], ["Jobs"], ["Finished"], ["Never started"], ["Wait p50"], ["p95"], ["p99"], ["max"],
                   ["Slowdown p50"], ["p95"], ["GPU-hours used"], ["fair"], ["lost"], ["Evicted"], ["Requeued"]];
  const rows = run.report.queues.map((queue) => {
    const own = (field, raw, text) => value(`${name}.queues.${queue.name}.${field}`, raw, text);
    const evicted = Object.entries(queue.evictions);
    const wait = (key) => own(`waitSeconds.${key}`, queue.waitSeconds[key], lasting(queue.waitSeconds[key]));
    const slow = (key) => own(`slowdown.${key}`, queue.slowdown[key], queue.slowdown[key] === null ? "–" : rounded(queue.slowdown[key]));
    const used = (key) => own(`gpuSeconds.${key}`, queue.gpuSeconds[key], hours(queue.gpuSeconds[key]));
    return {cells: [
      el("span", {}, el("span", {class: "swatch", style: `background:${colours.of(queue.name)}`}), named(queue.name)),
      own("jobs", queue.jobs, grouped(queue.jobs)), own("finished", queue.finished, grouped(queue.finished)),
      own("neverStarted", queue.neverStarted, grouped(queue.neverStarted)),
      wait("p50"), wait("p95"), wait("p99"), wait("max"), slow("p50"), slow("p95"), used("used"), used("fair"), used("lost"),
      el("span", {title: evicted.map(([action, count]) => `${action} ${count}`).join(", ")},
         grouped(evicted.reduce((all, [, count]) => all + count, 0))),
      own("requeues", queue.requeues, grouped(queue.requeues))]};
  });
  return table(columns, rows);
}

function evictionPart(run) {
  const list = run.evictions, from = seconds(run.report.from), to = seconds(run.report.to);
  if (run.evictionCount === 0) return el("p", {class: "note"}, "No pods were evicted.");
  const actions = [...new Set(list.map((eviction) => eviction.action))].sort();
  const text = (eviction) => `${eviction.pod} (${eviction.queue}) by ${eviction.action}` +
    (eviction.for ? ` for ${eviction.for}` : "") + (eviction.rule ? `: ${eviction.rule}` : "");
  const points = actions.map((action, i) => ({label: action, backgroundColor: `${palette[(i + 2) % palette.length]}bb`,
    data: list.filter((e) => e.action === action).map((e, n) => ({x: seconds(e.at), y: i + ((n * 7) % 11 - 5) / 16, of: e})),
    pointRadius: 3.5, pointHoverRadius: 6}));
  const card = chart("Evictions over time", () => ({type: "scatter", data: {datasets: points},
    options: {responsive: true, maintainAspectRatio: false, parsing: false,
      scales: {x: timeAxis(from, to), y: {min: -0.6, max: actions.length - 0.4, grid: {display: false},
        afterBuildTicks: (axis) => { axis.ticks = actions.map((_, i) => ({value: i})); },
        ticks: {callback: (i) => actions[i] || ""}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: (items) => (items.length ? `${moment(items[0].parsed.x)} UTC` : ""),
        label: (item) => shortText(text(item.raw.of))}}}}}), {low: true});
  const evictionTable = (some) => table([["When (UTC)", "text"], ["Pod", "name"], ["Queue", "name"], ["By", "text"], ["For", "name"],
                                    ["Rule", "wrap"]],
    some.map((e) => ({cells: [moment(seconds(e.at)), named(e.pod), named(e.queue), e.action, e.for ? named(e.for) : "", e.rule || ""]})));
  const first = list.slice(0, 10), next = list.slice(10, 500);
  const more = next.length === 0 ? null : el("details", {}, el("summary", {}, `${grouped(next.length)} more evictions`), evictionTable(next));
  const cut = run.evictionCount <= 500 ? null : el("p", {class: "note"},
    `The tables list the first 500 of ${grouped(run.evictionCount)} evictions; the chart shows the first ${grouped(list.length)}.`);
  return el("div", {}, card, evictionTable(first), more, cut);
}
const shortText = (text) => (text.length > 110 ? `${text.slice(0, 109)}…` : text);

// Stretches with the same reason, apart from its numbers, have the same colour.
function reasonColours(jobs) {
  const seen = new Map();
  for (const job of jobs) for (const stretch of job.stretches) {
    const kind = stretch.reason.replace(/[0-9][0-9.,:]*/g, "#");
    if (!seen.has(kind)) seen.set(kind, palette[(seen.size + 1) % palette.length]);
  }
  return (reason) => seen.get(reason.replace(/[0-9][0-9.,:]*/g, "#"));
}

function slowestPart(run) {
  if (run.slowest.length === 0) return el("p", {class: "note"}, "No job had to wait.");
  const colourOf = reasonColours(run.slowest);
  const length = (s) => seconds(s.to) - seconds(s.from);
  const waited = (job) => job.stretches.reduce((sum, s) => sum + length(s), 0) || 1;
  const longest = run.slowest.reduce((most, job) => Math.max(most, waited(job)), 1);
  const rows = run.slowest.map((job) => {
    const all = waited(job);
    const bar = el("div", {class: "bar", style: `width:${100 * all / longest}%`}, ...job.stretches.map((s) => el("i", {title: `${lasting(length(s))}: ${s.reason}`,
      style: `flex:${length(s) / all} 0 0;background:${colourOf(s.reason)}`})));
    const list = el("ul", {class: "stretches"}, ...job.stretches.slice(0, 6).map((s) => el("li", {},
      el("span", {class: "swatch", style: `background:${colourOf(s.reason)}`}), `${moment(seconds(s.from))} for ${lasting(length(s))}: `,
      el("bdi", {}, s.reason))), job.stretches.length > 6 ? el("li", {}, `and ${job.stretches.length - 6} more`) : null);
    return {cells: [named(job.name), named(job.queue), grouped(job.gpus, 2), moment(seconds(job.submitted)),
      lasting(job.waitSeconds) + (job.firstStart ? "" : ", still pending"), el("div", {}, bar, list)]};
  });
  return table([["Job", "name"], ["Queue", "name"], ["GPUs"], ["Submitted (UTC)"], ["Waited"], ["Reason", "wrap"]], rows);
}

function runPart(run, name) {
  const colours = coloured(run), {report} = run;
  const about = [`${moment(seconds(report.from))} to ${moment(seconds(report.to))} UTC`,
                 `${grouped(report.cycles)} cycles`, `seed ${report.seed}`].join(" · ");
  const hasSeries = report.series.at.length > 0;
  return [
    el("p", {class: "about"}, about, report.cut ? el("span", {class: "cut"}, " · stopped early") : null),
    tiles(run, name),
    el("h2", {}, "Queues"), queueTable(run, colours, name),
    el("h2", {}, "Over time"), hasSeries ? gpuChart(run) : null, hasSeries ? waitingChart(run) : null,
    hasSeries ? shareCharts(run, colours) : null,
    el("h2", {}, "Waits"), waitsChart(run, colours),
    el("h2", {}, "Evictions"), evictionPart(run),
    el("h2", {}, "Longest waits"), slowestPart(run)];
}

// ---- comparison of several runs

// The label of a metric, and the function that formats its numbers.
function describe(metric) {
  const [first, ...rest] = metric.split("."), more = rest.length ? `, ${rest.join(" ")}` : "";
  switch (first) {
    case "gpuUtilisation": return ["GPU utilisation", percent];
    case "gpuFragmentation": return ["GPU time idle with jobs pending", percent];
    case "makespanSeconds": return ["until the last job finished", lasting];
    case "waitSeconds": return [`wait${more}`, lasting];
    case "gpuSeconds": return [`GPU-hours${more}`, hours];
    case "neverStarted": return ["never started", rounded];
    case "evictions": return [`pods evicted${more}`, rounded];
    default: return [`${first}${more}`, rounded];
  }
}

function differenceTable(runs, differences, metricOf) {
  const rows = differences.map((difference) => {
    const [label, format] = describe(metricOf(difference.metric));
    const cell = (raw, i) => (raw === null ? "–" : value(`differences.${difference.metric}.${i}`, raw, format(raw)));
    return {cells: [label, ...difference.values.map(cell), difference.ratio === null ? "–"
      : value(`differences.${difference.metric}.ratio`, difference.ratio, `×${rounded(difference.ratio)}`)]};
  });
  return table([["Metric", "text"], ...runs.map((run) => [shortName(run.name)]), ["Ratio last/first"]], rows);
}

// Metrics of a queue begin with "queues.", its name and a dot. Names may contain dots themselves.
function queueDifferences(runs) {
  const names = [...new Set(runs.flatMap((run) => run.report.queues.map((queue) => queue.name)))];
  return names.map((name) => {
    const start = `queues.${name}.`, own = data.differences.filter(({metric}) => metric.startsWith(start));
    return own.length === 0 ? null : el("details", {}, el("summary", {}, "queue ", named(name)),
                                        differenceTable(runs, own, (metric) => metric.slice(start.length)));
  });
}

function comparison(runs) {
  const ofAll = data.differences.filter(({metric}) => !metric.startsWith("queues."));
  const from = Math.min(...runs.map((run) => seconds(run.report.from))), to = Math.max(...runs.map((run) => seconds(run.report.to)));
  const series = (title, key, options) => chart(title, () => timeChart(from, to, runs.map((run, i) => line(run.name,
    palette[i % palette.length], pointsOf(run.report.series.at.map(seconds), run.report.series[key])))), options);
  const waits = chart("How long jobs waited", () => ({type: "bar", data: {labels: runs[0].waits.bins,
    datasets: runs.map((run, i) => ({label: shortName(run.name), backgroundColor: palette[i % palette.length],
      data: run.waits.bins.map((_, n) => run.waits.queues.reduce((sum, queue) => sum + queue.counts[n], 0))}))},
    options: {responsive: true, maintainAspectRatio: false, interaction: {mode: "index", intersect: false},
      scales: {x: {grid: {display: false}}, y: {beginAtZero: true, ticks: {precision: 0}, title: {display: true, text: "jobs"}}},
      plugins: {legend: {position: "bottom", labels: legendLabels}}}}));
  return [differenceTable(runs, ofAll, (metric) => metric), ...queueDifferences(runs), series("GPUs used", "gpusUsed"),
          series("Pending jobs", "jobsWaiting", {low: true}), waits];
}

// ---- the page

const bare = (path) => path.slice(path.lastIndexOf("/") + 1);
if (new Set(data.runs.map((run) => bare(run.name))).size === data.runs.length)
  for (const run of data.runs) run.name = bare(run.name) || run.name;
const runs = data.runs, main = document.querySelector("main");
if (runs.length === 1) {
  main.append(...runPart(runs[0], "run0").filter(Boolean));
} else {
  main.append(...comparison(runs).filter(Boolean));
  runs.forEach((run, i) => main.append(el("section", {class: "run"}, el("h2", {}, named(run.name)),
                                          ...runPart(run, `run${i}`).filter(Boolean))));
}
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
// Canvases are drawn before the print style applies, so an attribute announces it.
addEventListener("beforeprint", () => { document.documentElement.dataset.print = "yes"; drawAll(); });
addEventListener("afterprint", () => { delete document.documentElement.dataset.print; drawAll(); });
document.documentElement.dataset.drawn = String(charts.length);
})();
