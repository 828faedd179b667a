"use strict";
// Shows a run's episodes. Every text becomes a text node: nothing of a page, a model or a history is ever read as HTML.
(async () => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const texts = await unpack(JSON.parse($("texts").textContent));
  const episodes = data.episodes;
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const NAMES = { p_web: "P_web", p_pref: "P_pref", p_avg: "P_avg", intent: "intent", success: "success", outcome_success: "outcome", aspects: "aspects" };
  const PRIVILEGED = new Set(["full", "oracle", "gold"]);
  let current = null, at = 0, listed = [];

  async function unpack(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function h(tag, properties, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name in node && typeof value !== "string") node[name] = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
    return node;
  }

  const number = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
  const metricName = (name) => NAMES[name] || name.replaceAll("_", " ");
  const ordered = (metrics) => Object.keys(metrics).sort((a, b) => rank(a) - rank(b));
  const rank = (name) => { const i = Object.keys(NAMES).indexOf(name); return i < 0 ? 99 : i; };
  const tone = (value) => (value === null || value === undefined ? "quiet" : value >= 1 ? "good" : value > 0 ? "part" : "bad");
  const steps = (episode) => `${episode.steps.length} step${episode.steps.length === 1 ? "" : "s"}`;
  const link = (episode, step) => `#${episode.id}/${step}`;

  // The one figure an episode is filed under: outcome success where there is one, else the first metric in [0, 1].
  function headline(episode) {
    for (const name of ["outcome_success", "success", "aspects"])
      for (const score of Object.values(episode.scores)) if (score.metrics[name]) return score.metrics[name];
    for (const score of Object.values(episode.scores))
      for (const [name, metric] of Object.entries(score.metrics)) if (name !== "steps") return metric;
    return null;
  }
  function filed(episode) {
    if (episode.error && episode.error.infrastructure) return "failed";
    if (episode.stop === "cut off" || episode.stop === "closed") return "failed";
    const metric = headline(episode);
    if (!metric || metric.value === null) return "not scored";
    return metric.value >= 1 ? "success" : metric.value > 0 ? "in part" : "no success";
  }
  function badge(episode) {
    const kind = filed(episode), metric = headline(episode);
    if (kind === "failed") return ["failed", "bad"];
    if (kind === "not scored") return ["–", "quiet"];
    if (metric.value === 1) return ["✓", "good"];
    return metric.value === 0 ? ["✗", "bad"] : [number(metric.value), "part"];
  }
  const scheme = (episode) => episode.history + (PRIVILEGED.has(episode.history) ? "*" : "") + (episode.of === "other" ? " (other)" : "");

  // ---- list and filters
  function options(id, all, values) {
    const select = $(id);
    select.append(h("option", { value: "" }, all), ...values.map((value) => h("option", { value: String(value) }, String(value))));
    select.hidden = values.length < 2;
    select.addEventListener("change", list);
  }
  const distinct = (of) => [...new Set(episodes.map(of))];
  options("scheme", "history", distinct(scheme));
  options("level", "level", distinct((episode) => episode.level).filter((level) => level !== null));
  options("verdict", "verdict", distinct(filed));
  $("words").addEventListener("input", list);
  $("filters").addEventListener("submit", (event) => event.preventDefault());

  function list() {
    const words = $("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    listed = episodes.filter((episode) =>
      (!$("scheme").value || scheme(episode) === $("scheme").value) &&
      (!$("level").value || String(episode.level) === $("level").value) &&
      (!$("verdict").value || filed(episode) === $("verdict").value) &&
      words.every((word) => `${episode.task} ${episode.query} ${episode.user} ${episode.category}`.toLowerCase().includes(word)));
    $("count").textContent = `${listed.length} of ${episodes.length} episodes`;
    $("episodes").replaceChildren(...listed.map((episode) => {
      const [text, color] = badge(episode);
      return h("li", {}, h("a", { href: link(episode, 0), id: `e-${episode.id}`, title: episode.task },
        h("span", { class: "q" }, episode.query),
        h("span", { class: "m" }, h("span", {}, scheme(episode)), h("span", {}, steps(episode)),
          h("span", { class: `v ${color}` }, text))));
    }));
    markCurrent();
  }
  function markCurrent() {
    for (const node of $("episodes").querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
    const node = current && $(`e-${current.id}`);
    if (node) { node.setAttribute("aria-current", "true"); node.scrollIntoView({ block: "nearest" }); }
  }

  // ---- start: the table, and every task against every scheme
  function start() {
    document.title = `${data.title} · habitus`;
    $("main").replaceChildren(h("h1", {}, data.title), ...cellTable(), matrix());
    $("main").scrollTop = 0;
  }
  function cellTable() {
    if (!data.cells.length) return [];
    const names = [...new Set(data.cells.flatMap((cell) => ordered(cell.metrics)))].sort((a, b) => rank(a) - rank(b));
    const judges = [...new Set(data.cells.map((cell) => cell.judge))];
    return judges.map((judge) => {
      const cells = data.cells.filter((cell) => cell.judge === judge);
      const shown = names.filter((name) => cells.some((cell) => cell.metrics[name]));
      const first = cells[0];
      const proxy = judge.includes("proxy") ? " (a proxy, no judge of quality)" : "";
      return h("table", { class: "cells" },
        h("caption", {}, `${first.suite} · ${first.agent}${first.model ? ` (${first.model})` : ""} · ` + (judge ? `judge ${judge}${proxy}` : "not judged")),
        h("thead", {}, h("tr", {}, ["history", "level", "episodes", ...shown.map(metricName)].map((name) => h("th", {}, name)))),
        h("tbody", {}, cells.map((cell) => h("tr", {},
          h("td", {}, cell.history + (PRIVILEGED.has(cell.history) ? "*" : "") + (cell.history_of === "other" ? " (other)" : "")),
          h("td", {}, cell.level === null ? "–" : String(cell.level)),
          h("td", {}, String(cell.episodes), (cell.invalid || cell.failed) ? h("small", {}, [cell.invalid && `${cell.invalid} invalid`, cell.failed && `${cell.failed} failed`].filter(Boolean).join(", ")) : null),
          shown.map((name) => {
            const metric = cell.metrics[name], digits = name === "steps" ? 1 : 2;
            if (!metric) return h("td", {}, "–");
            const [low, high] = metric.ci95;
            return h("td", {}, number(metric.mean, digits), low === null ? null : h("small", {}, `[${number(low, digits)}, ${number(high, digits)}]`));
          })))));
    });
  }
  function matrix() {
    const schemes = distinct(scheme);
    const tasks = new Map();
    for (const episode of episodes) {
      if (!tasks.has(episode.task)) tasks.set(episode.task, []);
      tasks.get(episode.task).push(episode);
    }
    return h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, h("th", {}, "task"), schemes.map((name) => h("th", {}, name)))),
      h("tbody", {}, [...tasks.values()].map((found) => h("tr", {},
        h("td", { class: "q" }, found[0].query),
        schemes.map((name) => h("td", {}, found.filter((episode) => scheme(episode) === name).map((episode) => {
          const [text, color] = badge(episode);
          return h("a", { class: `dot ${color === "quiet" ? "none" : color}`, href: link(episode, 0), title: `${episode.task}: ${filed(episode)}` }, text);
        })))))));
  }

  // ---- one episode
  function evidence(episode) {
    const steps = new Map(), records = new Map();
    for (const [judge, score] of Object.entries(episode.scores))
      for (const [name, metric] of Object.entries(score.metrics)) {
        const why = `${metricName(name)}, ${judge}`;
        for (const step of metric.steps) steps.set(step, [...(steps.get(step) || []), why]);
        for (const record of metric.records) records.set(record, [...(records.get(record) || []), why]);
      }
    return { steps, records };
  }

  function show() {
    const episode = current, step = episode.steps[at] || null, found = evidence(episode);
    const seen = step || episode.end;
    document.title = `${episode.task} · habitus`;
    const open = [...$("main").querySelectorAll("details.judge")].map((node) => node.open);
    $("main").replaceChildren(
      heading(episode),
      ...Object.entries(episode.scores).map(([judge, score], i) => judgePanel(episode, judge, score, Boolean(open[i]))),
      timeline(episode, found, seen),
      h("div", { class: "action" },
        h("span", { class: "quiet" }, step ? `agent ${number(step.agent_s, 1)} s · environment ${number(step.env_s, 1)} s` : ""),
        step ? step.action : `end: ${episode.stop}`),
      h("div", { class: "lanes" }, pageLane(episode, step, seen), reasoningLane(episode, step), memoryLane(episode, step, seen, found)));
    const mark = $("main").querySelector("pre mark");
    if (mark) { const body = mark.closest(".body"); body.scrollTop = Math.max(0, mark.offsetTop - body.offsetTop - body.clientHeight / 3); }
    markCurrent();
  }

  function heading(episode) {
    const usage = episode.usage;
    return h("header", {}, h("h1", {}, episode.query), h("div", { class: "meta" },
      h("span", { class: "tag" }, scheme(episode)), h("span", {}, episode.task),
      episode.level !== null && h("span", {}, `level ${episode.level}`),
      h("span", {}, `${episode.user}, asked on ${episode.asked.slice(0, 10)}`),
      h("span", {}, `${episode.agent} ${[...new Set(Object.values(episode.models))].join(", ")}`),
      h("span", { class: filed(episode) === "failed" ? "bad" : "" }, `ended: ${episode.stop}`),
      h("span", {}, `${steps(episode)}${episode.duration === null ? "" : `, ${number(episode.duration, 1)} s`}`),
      usage.calls > 0 && h("span", {}, `${usage.calls} calls, ${usage.prompt_tokens + usage.completion_tokens} tokens` + (usage.cost_usd === null ? "" : `, $${number(usage.cost_usd, 4)}`))));
  }

  function judgePanel(episode, judge, score, open) {
    const names = ordered(score.metrics).filter((name) => name !== "steps");
    const slots = Array.isArray(score.details.slots) ? score.details.slots : [];
    return h("details", { class: "judge", open },
      h("summary", {}, h("b", { class: "who" }, `judge ${judge}`), names.map((name) => {
        const metric = score.metrics[name];
        return h("span", {}, h("span", { class: "quiet" }, `${metricName(name)} `),
          h("b", { class: tone(metric.value) }, metric.verdict === "scored" ? number(metric.value) : metric.verdict));
      })),
      h("div", { class: "metrics" }, names.map((name) => {
        const metric = score.metrics[name];
        return h("div", { class: "metric" },
          h("div", { class: "name" }, metricName(name)),
          h("div", { class: `value ${tone(metric.value)}` }, metric.verdict === "scored" ? number(metric.value) : metric.verdict,
            metric.maximum !== null && h("small", {}, ` ${number(metric.raw, 1)} of ${number(metric.maximum, 1)}`)),
          h("div", { class: `bar ${tone(metric.value)}` }, h("i", { style: `width:${100 * (metric.value || 0)}%` })),
          metric.steps.length > 0 && h("div", {}, "steps ", metric.steps.map((step, i) => [i ? ", " : "", h("a", { href: link(episode, step) }, String(step + 1))])),
          metric.records.length > 0 && h("div", { class: "quiet" }, `${metric.records.length} history entries`),
          metric.note && h("div", { class: "quiet" }, metric.note));
      })),
      slots.length > 0 && h("div", { class: "slots" }, h("table", {}, h("tbody", {}, slots.map((slot) => h("tr", {},
        h("td", {}, String(slot.kind)), h("td", { class: "quiet" }, String(slot.key)),
        h("td", {}, slot.retrieved === null ? h("span", { class: "quiet" }, "given") : verdict(slot.retrieved, "retrieved")),
        h("td", {}, verdict(slot.utilized, "used")),
        h("td", { class: "quiet" }, `${number(slot.raw, 1)} of ${number(slot.maximum, 1)}`)))))));
  }
  const verdict = (met, word) => h("span", { class: met ? "good" : "bad" }, met ? `✓ ${word}` : `✗ not ${word}`);

  function timeline(episode, found, seen) {
    const ticks = episode.steps.map((step, i) => h("button", {
      class: ["tick", step.memory && "memory", step.failure && "failed", found.steps.has(i) && "evidence"].filter(Boolean).join(" "),
      "aria-current": i === at ? "step" : null, title: [step.action.slice(0, 200), ...(found.steps.get(i) || [])].join("\n"), onclick: () => go(i),
    }, String(i + 1)));
    ticks.push(h("button", { class: "tick", "aria-current": at === episode.steps.length ? "step" : null, title: episode.stop, onclick: () => go(episode.steps.length) }, "end"));
    const left = seen.steps_left === null || seen.steps_left === undefined ? episode.budget - at : seen.steps_left;
    return h("div", { class: "timeline" }, h("nav", { class: "ticks" }, ticks), h("div", { class: "budget" },
      `${episode.budget - left} of ${episode.budget} steps spent`,
      seen.queries_left > 0 && `, ${seen.queries_left} queries left`,
      h("div", { class: "bar" }, h("i", { style: `width:${100 * (episode.budget - left) / episode.budget}%` }))));
  }

  function lane(title, head, body) {
    return h("section", { class: "lane" }, h("h2", {}, title), head, h("div", { class: "body", tabindex: "0" }, body));
  }

  function pageLane(episode, step, seen) {
    const head = seen.url && h("div", { class: "head" }, h("div", {}, seen.title), h("div", { class: "url" }, seen.url), seen.tabs && h("div", { class: "url" }, seen.tabs));
    const body = [seen.error && h("div", { class: "banner" }, seen.error), seen.notice && h("div", { class: "banner note" }, seen.notice)];
    if (!step && episode.error) body.push(h("div", { class: "banner" }, `${episode.error.boundary}: ${episode.error.message}`));
    if (!step && episode.answer !== null) body.push(h("p", { class: "prose" }, texts[episode.answer]));
    if (!step && episode.state) body.push(world(episode.state));
    body.push(pageText(texts[seen.page], step && step.ref));
    return lane(step ? "Page, as the agent saw it" : "At the end", head, body);
  }
  function pageText(text, ref) {
    const at = ref ? text.split("\n").findIndex((line) => new RegExp(`(^|[^A-Za-z0-9_])${ref.replace(/\W/g, "")}([^A-Za-z0-9_]|$)`).test(line)) : -1;
    if (at < 0) return h("pre", {}, text);
    const lines = text.split("\n");
    return h("pre", {}, lines.slice(0, at).join("\n"), h("mark", {}, lines[at]), lines.slice(at + 1).join("\n"));
  }
  function world(state) {
    const thing = (item, label) => h("div", { class: "hit" }, h("div", { class: "text" }, `${label} ${item.title}`),
      h("div", { class: "where" }, [item.host, ...Object.entries({ ...item.attributes, ...item.location }).map(([name, value]) => `${name} ${value}`), item.fault && `stopped: ${item.fault}`].filter(Boolean).join(" · ")));
    return [state.held.map((item) => thing(item, `${item.act}:`)), state.stopped.map((item) => thing(item, `${item.act}, stopped:`)),
      state.forbidden.map((act) => h("div", { class: "banner" }, `refused: ${act}`)),
      !state.held.length && !state.stopped.length && h("p", { class: "quiet" }, "Nothing is held in any basket or draft.")];
  }

  function reasoningLane(episode, step) {
    if (!step) return lane("Reasoning", null, h("p", { class: "quiet" }, "The episode is over."));
    const body = [];
    if (step.failure) body.push(h("div", { class: "banner" }, `${step.failure.boundary}: ${step.failure.message}`));
    body.push(step.reasoning ? h("p", { class: "prose" }, step.reasoning) : h("p", { class: "quiet" }, "No reasoning was given."));
    for (const call of step.calls) body.push(h("details", { class: "call" },
      h("summary", {}, `${call.role} · ${call.model} · ${call.usage.prompt_tokens}+${call.usage.completion_tokens} tokens · ${number(call.latency, 1)} s`,
        call.retries ? ` · ${call.retries} retries` : "", call.error && h("span", { class: "bad" }, ` · ${call.error}`)),
      call.thinking !== null && [h("h3", {}, "thinking"), h("pre", {}, texts[call.thinking])],
      h("h3", {}, "reply"), h("pre", {}, texts[call.reply]),
      call.messages.map(([role, text]) => [h("h3", {}, role), h("pre", {}, texts[text])])));
    return lane("Reasoning", null, body);
  }

  function memoryLane(episode, step, seen, found) {
    const event = step && step.memory;
    const body = [];
    let head = null;
    if (event) {
      head = h("div", { class: "head" }, h("div", { class: "asked" }, `“${event.query}”`),
        h("div", { class: "quiet" }, event.refused || `${event.hits.length} entries`));
      body.push(event.hits.map(([record, score]) => hit(data.records[record], score, found)));
    } else {
      if (at === 0 && seen.history > 0) body.push(h("p", { class: "quiet" }, `${seen.history} entries were in view from the start.`));
      if (seen.profile) body.push(h("p", { class: "prose" }, seen.profile));
      body.push(h("p", { class: "quiet" }, step ? "The history was not asked at this step." : ""));
      const asked = episode.steps.map((other, i) => [other, i]).filter(([other]) => other.memory);
      if (asked.length) body.push(asked.map(([other, i]) => h("div", { class: "hit" },
        h("div", { class: "text" }, h("a", { href: link(episode, i) }, `“${other.memory.query}”`)),
        h("div", { class: "score" }, `step ${i + 1}`), h("div", { class: "where" }, other.memory.refused || `${other.memory.hits.length} entries`))));
      else body.push(h("p", { class: "quiet" }, "No question was asked in this episode."));
    }
    return lane("Memory", head, body);
  }
  function hit(record, score, found) {
    const why = [...new Set(record.ids.flatMap((id) => found.records.get(id) || []))];
    return h("div", { class: why.length ? "hit evidence" : "hit" },
      h("div", { class: "text" }, record.text), h("div", { class: "score" }, number(score, 3)),
      h("div", { class: "where" }, [record.time.slice(0, 10) || "undated", record.kind, record.website].filter(Boolean).join(" · "),
        why.length > 0 && h("span", { class: "why" }, ` · evidence: ${why.join("; ")}`)));
  }

  // ---- going about
  function go(step) {
    at = Math.max(0, Math.min(step, current.steps.length));
    history.replaceState(null, "", link(current, at));
    show();
  }
  function goEpisode(by) {
    const i = listed.indexOf(current);
    const next = listed[i < 0 ? 0 : i + by];
    if (next) location.hash = link(next, 0);
  }
  function route() {
    const [id, step] = location.hash.slice(1).split("/");
    current = byId.get(id) || null;
    if (!current) { markCurrent(); start(); return; }
    at = Math.max(0, Math.min(Number(step) || 0, current.steps.length));
    $("main").scrollTop = 0;
    show();
  }
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { if (event.key === "Escape") event.target.blur(); return; }
    const key = event.key;
    if (key === "/") $("words").focus();
    else if (key === "t") theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);
    else if (key === "n") goEpisode(1);
    else if (key === "p") goEpisode(-1);
    else if (key === "Escape") location.hash = "";
    else if (key === "j" || key === "ArrowRight") current ? go(at + 1) : goEpisode(0);
    else if ((key === "k" || key === "ArrowLeft") && current) go(at - 1);
    else return;
    event.preventDefault();
  });

  function theme(name, keep) {
    document.documentElement.dataset.theme = name;
    try { if (keep) localStorage.setItem("habitus-theme", name); } catch { /* a page from disk may have no storage */ }
  }
  let kept = null;
  try { kept = localStorage.getItem("habitus-theme"); } catch { /* as above */ }
  theme(kept || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"), false);

  list();
  route();
})();
