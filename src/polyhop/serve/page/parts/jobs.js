// Jobs of the server: how far they are, what they cost, what was skipped and why.

import { button, fill, h, refocused, said } from "./dom.js";
import { counted, duration, nameOf, spent } from "./text.js";

const STATES = { queued: "Waiting", running: "Under way", done: "Done", failed: "Failed", cancelled: "Cancelled" };
const KINDS = { upload: "Adding documents", remove: "Removing documents", folder: "Following a folder", eval: "Measuring" };
const SOON = 1000; // milliseconds between looks while something is under way
const LATER = 15000;
const FEW = 5; // files that were skipped whose reasons are shown at once
const ENDED = 3; // jobs that ended which are still shown

export const active = (job) => job.state === "queued" || job.state === "running";

export class Jobs {
  /** `wanted`: whether a job belongs here. `ended` hears of jobs that ended since the last look. */
  constructor(page, { wanted = () => true, ended = () => {} } = {}) {
    Object.assign(this, { page, wanted, ended });
    this.element = h("ul", { class: "jobs" });
    this.known = new Map(); // id -> {job, item}
  }

  /** What the server replied to who asked for a job: it counts as under way until it is seen, which may be when it is over. */
  expect(reply) {
    const id = reply?.job?.id;
    if (id) this.known.set(id, { job: { state: "queued" }, item: this.known.get(id)?.item });
  }

  /** Look at the jobs now, and again while the view is shown. */
  async watch() {
    clearTimeout(this.timer);
    const { jobs = [] } = await this.page.api.get("jobs").catch(() => ({}));
    this.#draw(worthShowing(jobs.filter(this.wanted)));
    if (!this.element.checkVisibility()) return;
    const wait = jobs.some(active) ? SOON : LATER;
    this.timer = setTimeout(() => this.watch(), document.hidden ? LATER : wait);
  }

  #draw(jobs) {
    for (const job of jobs) {
      const before = this.known.get(job.id);
      const was = before?.job;
      if (was && JSON.stringify(was) === JSON.stringify(job)) continue;
      const item = before?.item ?? h("li", { class: "job" });
      const opened = item.querySelector("details")?.open;
      refocused(() => fill(item, this.#drawn(job)), () => item.querySelector("button, summary"));
      if (opened !== undefined) item.querySelector("details")?.toggleAttribute("open", opened);
      this.known.set(job.id, { job, item });
      if (was && active(was) && !active(job)) {
        this.page.announce(`${KINDS[job.kind] ?? job.kind}: ${STATES[job.state]}.`);
        this.ended(job);
      }
    }
    const shown = jobs.map((job) => this.known.get(job.id).item);
    if (shown.length !== this.element.children.length || shown.some((item, at) => this.element.children[at] !== item)) {
      refocused(() => this.element.replaceChildren(...shown));
    }
  }

  #drawn(job) {
    const { progress, skipped = [] } = job;
    return [
      h(
        "div",
        { class: "row" },
        h("strong", { class: "grow" }, KINDS[job.kind] ?? job.kind, ...about(job)),
        h("span", { class: "state", "data-state": job.state }, STATES[job.state] ?? job.state),
        active(job) && button("Cancel", () => this.#tell(job, "cancel"), { class: "quiet" }),
        ["failed", "cancelled"].includes(job.state) && button("Retry", () => this.#tell(job, "retry"), { icon: "retry", class: "quiet" }),
      ),
      active(job) && this.#bar(progress),
      h("p", { class: "small muted" }, summary(job)),
      job.error && h("div", { class: "notice bad" }, said("p", job.error.message), job.error.remedy && said("p", job.error.remedy, { class: "muted" })),
      skipped.length > 0 && this.#skipped(skipped),
    ];
  }

  #bar(progress) {
    const share = progress?.total ? progress.done / progress.total : null;
    const filled = h("span");
    if (share !== null) filled.style.width = `${Math.round(share * 100)}%`;
    return h("span", { class: share === null ? "bar unknown" : "bar", "aria-hidden": "true" }, filled);
  }

  #skipped(skipped) {
    const row = ({ file, reason }) => h("li", {}, said("strong", nameOf(file), { title: file }), " ", said("span", reason));
    const rows = h("ul", { class: "small skipped" }, skipped.slice(0, 200).map(row));
    return h("details", { open: skipped.length <= FEW }, h("summary", {}, `${counted(skipped.length, "file")} skipped, and why`), rows);
  }

  async #tell(job, what) {
    this.expect(await this.page.api.post(`jobs/${job.id}/${what}`).catch(this.page.complain));
    this.watch();
  }
}

/** Which files, documents or strategies a job is about: the first, and how many more. */
function about({ kind, about: names = [] }) {
  if (!names.length) return [];
  if (kind === "eval") return [": ", said("span", names.join(", "), { class: "job-about" })];
  const more = names.length > 1 ? ` and ${(names.length - 1).toLocaleString("en")} more` : "";
  return [": ", said("span", `${nameOf(names[0])}${more}`, { class: "job-about" })];
}

/** What is under way, and the last few that ended. */
function worthShowing(jobs) {
  const newest = [...jobs].sort((one, other) => String(other.created).localeCompare(String(one.created)));
  return [...newest.filter(active), ...newest.filter((job) => !active(job)).slice(0, ENDED)];
}

function summary({ state, progress, cost, created, started, ended }) {
  const parts = [];
  if (state === "running" && progress) {
    const of = progress.total ? `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")}` : progress.done || "";
    parts.push([progress.stage, of].filter(Boolean).join(" "));
    if (progress.seconds_left >= 1) parts.push(`about ${duration(progress.seconds_left)} left`);
  }
  const took = (Date.parse(ended) - Date.parse(started)) / 1000;
  if (ended && took >= 0) parts.push(`took ${duration(took)}`);
  if (created && !active({ state })) parts.push(new Date(created).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
  parts.push(spent(cost));
  return parts.filter(Boolean).join(" · ");
}
