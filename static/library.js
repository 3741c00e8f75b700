// The library: files and folders dropped anywhere, sent in portions, each with its progress.
const MOST_FILES = 25; // Of one portion.
const MOST_BYTES = 16_000_000; // Of one portion, unless a single file is larger.
const MOST_SHOWN = 200;
const MEGABYTE = 1_000_000;
const CLUTTER = /^(\.|~\$)|^(Thumbs\.db|desktop\.ini|__MACOSX)$/i;

const say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const money = (amount) => (Math.ceil(amount * 100 - 1e-9) / 100).toFixed(2);

// What is dropped

async function entriesOf(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found; // Browsers tell a hundred at a time.
    found.push(...some);
  }
}

async function walk(entry, path, found) {
  if (CLUTTER.test(entry.name)) return;
  if (entry.isDirectory) {
    for (const below of await entriesOf(entry)) await walk(below, `${path}${entry.name}/`, found);
  } else {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, path: path + entry.name });
  }
}

// The server drops the first part of a path, as it does with the name of a folder that was chosen. So does a
// folder that was dropped alone; of several things each keeps its name.
async function dropped(transfer) {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return Array.from(transfer.files, (file) => ({ file, path: `dropped/${file.name}` }));
  const isAlone = entries.length === 1 && entries[0].isDirectory;
  const found = [];
  for (const entry of entries) await walk(entry, isAlone ? "" : "dropped/", found);
  return found;
}

function chosen(form) {
  const [files, folder] = [form.elements.documents, form.elements.folder];
  return [
    ...Array.from(files.files, (file) => ({ file, path: `chosen/${file.name}` })),
    ...Array.from(folder.files, (file) => ({ file, path: file.webkitRelativePath || `chosen/${file.name}` })),
  ];
}

function portions(files) {
  const all = [];
  let portion = [];
  let bytes = 0;
  for (const one of files) {
    if (portion.length && (portion.length >= MOST_FILES || bytes + one.file.size > MOST_BYTES)) {
      all.push(portion);
      [portion, bytes] = [[], 0];
    }
    portion.push(one);
    bytes += one.file.size;
  }
  if (portion.length) all.push(portion);
  return all;
}

class Upload {
  constructor(section) {
    this.section = section;
    this.form = section.querySelector("form");
    this.words = JSON.parse(document.getElementById("upload-words").textContent);
    this.isBusy = false;
    this.listen();
  }

  part(name) {
    return this.section.querySelector(`[data-${name}]`);
  }

  listen() {
    this.part("drop").hidden = false;
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    addEventListener("drop", async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.remove("dropping");
      if (this.isBusy) return;
      this.open(this.words.reading);
      const files = await dropped(event.dataTransfer).catch(() => []);
      await this.begin(files, this.words.nothing);
    });
    this.form.addEventListener("submit", (event) => {
      if (event.submitter?.name === "estimate") return;
      event.preventDefault();
      if (!this.isBusy) this.begin(chosen(this.form), this.words.choose);
    });
    this.part("stop").addEventListener("click", () => this.stop());
    addEventListener("beforeunload", (event) => {
      if (this.isBusy) event.preventDefault();
    });
  }

  open(text) {
    this.part("sending").hidden = false;
    this.part("overall").textContent = text;
    this.part("sending").scrollIntoView({ block: "nearest" });
  }

  async begin(files, otherwise) {
    this.section.parentElement.querySelectorAll(".message.upload").forEach((message) => message.remove());
    this.files = files.map((one) => ({ ...one, state: "waiting", sent: 0 }));
    this.isStopped = false;
    if (!files.length) {
      this.open(otherwise);
      this.part("whole").hidden = this.part("stop").hidden = true;
      this.part("files").replaceChildren();
      return;
    }
    this.isBusy = true;
    this.refuseWhatCannotBe();
    this.portions = portions(this.files.filter(({ state }) => state === "waiting"));
    this.list();
    try {
      if (await this.agree()) await this.send();
    } finally {
      this.isBusy = false;
      this.part("stop").hidden = true;
    }
    this.finish();
  }

  refuseWhatCannotBe() {
    const largest = Number(this.section.dataset.largest);
    const seen = new Set();
    for (const one of this.files) {
      if (seen.has(one.path)) [one.state, one.problem] = ["refused", this.words.same_name];
      seen.add(one.path);
    }
    for (const one of this.files.filter(({ file }) => file.size > largest)) {
      const sizes = { size: (one.file.size / MEGABYTE).toFixed(1), largest: largest / MEGABYTE };
      [one.state, one.problem] = ["refused", say(this.words.too_large, sizes)];
    }
  }

  list() {
    this.open("");
    this.part("whole").hidden = this.part("stop").hidden = false;
    const rows = this.files.slice(0, MOST_SHOWN).map((one) => this.row(one));
    if (this.files.length > MOST_SHOWN) {
      const more = document.createElement("li");
      more.textContent = say(this.words.more, { count: this.files.length - MOST_SHOWN });
      rows.push(more);
    }
    this.part("files").replaceChildren(...rows);
    this.show();
  }

  row(one) {
    const row = document.createElement("li");
    const name = document.createElement("span");
    const progress = document.createElement("progress");
    const said = document.createElement("span");
    name.textContent = one.path.slice(one.path.indexOf("/") + 1);
    progress.max = 1;
    progress.setAttribute("aria-label", name.textContent);
    said.className = "said";
    row.append(name, progress, said);
    one.row = { row, progress, said };
    return row;
  }

  show() {
    let bytes = 0;
    let total = 0;
    for (const one of this.files) {
      const isOver = !["waiting", "sending"].includes(one.state);
      const share = isOver ? 1 : one.sent / Math.max(1, one.file.size);
      total += one.file.size;
      bytes += share * one.file.size;
      if (!one.row) continue;
      one.row.progress.value = share;
      one.row.row.dataset.state = one.state;
      one.row.said.textContent = one.problem ?? (isOver ? this.words.taken : "");
    }
    this.part("whole").value = total ? bytes / total : 1;
    const done = this.files.filter(({ state }) => !["waiting", "sending"].includes(state)).length;
    if (!this.part("price").hidden) return;
    this.part("overall").textContent = say(this.words.sent, { done, total: this.files.length });
  }

  // Portions stay as they are: a yes is given to the price of each.
  waiting() {
    return this.portions.filter(([first]) => first.state === "waiting");
  }

  // Where contexts cost money: ask for the price of all portions, then for a yes.
  async agree() {
    if (this.section.dataset.paid !== "yes") return true;
    const sums = { chunks: 0, likely: 0, most: 0, left: 0 };
    let done = 0;
    for (const portion of this.waiting()) {
      this.part("overall").textContent = say(this.words.quoting, { done, total: this.files.length });
      const answer = await this.post(portion, { estimate: "1" });
      if (this.isStopped) return false;
      const quote = answer.body?.quote;
      if (!quote) {
        this.fail(portion, answer);
        continue;
      }
      for (const one of portion) one.token = quote.token;
      sums.chunks += quote.contexts;
      sums.likely += Number(quote.likely_cost);
      sums.most += Number(quote.most_cost);
      sums.left = Number(quote.left);
      done += portion.length;
    }
    if (sums.most <= Number(this.section.dataset.askAbove)) return true;
    return this.ask(sums);
  }

  ask(sums) {
    const shown = { likely: money(sums.likely), most: money(sums.most), left: sums.left.toFixed(2) };
    this.part("overall").textContent = say(this.words.price, { ...shown, chunks: sums.chunks, total: this.files.length });
    this.part("price").hidden = false;
    this.part("pay").textContent = say(this.words.pay, shown);
    this.part("pay").focus();
    return new Promise((resolve) => {
      const answer = (isYes) => {
        this.part("price").hidden = true;
        this.isStopped = !isYes;
        resolve(isYes);
      };
      this.part("pay").onclick = () => answer(true);
      this.part("decline").onclick = this.part("stop").onclick = () => answer(false);
    });
  }

  async send() {
    for (const portion of this.waiting()) {
      if (this.isStopped) return;
      for (const one of portion) one.state = "sending";
      const answer = await this.post(portion, { agreed: portion[0].token ?? "" }, (loaded) => this.share(portion, loaded));
      if (answer.body?.files) this.take(portion, answer.body.files);
      else this.fail(portion, answer);
      dispatchEvent(new Event("follow"));
    }
  }

  // The bytes of a portion go one file after the other.
  share(portion, loaded) {
    for (const one of portion) {
      one.sent = Math.min(one.file.size, Math.max(0, loaded));
      loaded -= one.file.size;
    }
    this.show();
  }

  // A zip becomes several files: what is said of these is said of it.
  take(portion, answers) {
    const own = (one) => one.path.slice(one.path.indexOf("/") + 1);
    const names = new Map(portion.map((one) => [own(one), one]));
    const others = portion.filter((one) => own(one).toLowerCase().endsWith(".zip"));
    for (const one of portion) one.outcomes = [];
    for (const answer of answers) {
      const one = names.get(answer.name) ?? (others.length === 1 ? others[0] : undefined);
      (one ?? portion[0]).outcomes.push(answer);
    }
    for (const one of portion) {
      const problem = one.outcomes.find((outcome) => outcome.problem)?.problem;
      one.state = one.outcomes.some(({ outcome }) => outcome) ? "done" : "refused";
      if (problem) one.problem = problem;
    }
    this.show();
  }

  fail(portion, { status, body }) {
    const { failed, unreachable } = this.words;
    const problem = body?.errors?.join(" ") ?? (status ? say(failed, { status }) : unreachable);
    for (const one of portion) [one.state, one.problem] = ["refused", problem];
    this.show();
  }

  post(portion, fields, progress = () => {}) {
    const data = new FormData();
    for (const name of ["csrfmiddlewaretoken", "effective_from", "effective_to"]) {
      data.append(name, this.form.elements[name]?.value ?? "");
    }
    for (const [name, value] of Object.entries(fields)) if (value) data.append(name, value);
    for (const { file } of portion) data.append("folder", file);
    data.append("paths", JSON.stringify(portion.map(({ path }) => path)));
    const request = new XMLHttpRequest();
    this.request = request;
    return new Promise((resolve) => {
      request.upload.addEventListener("progress", (event) => progress(event.loaded));
      request.addEventListener("loadend", () => resolve({ status: request.status, body: request.response }));
      request.open("POST", this.form.action);
      request.responseType = "json";
      request.setRequestHeader("Accept", "application/json");
      request.send(data);
    });
  }

  stop() {
    this.isStopped = true;
    this.request?.abort();
  }

  finish() {
    const outcomes = this.files.flatMap((one) => one.outcomes ?? []);
    const counts = Object.groupBy ? Object.groupBy(outcomes, (one) => one.outcome) : group(outcomes);
    const parts = ["added", "replaced", "unchanged", "dated", "retried"]
      .filter((name) => counts[name])
      .map((name) => say(this.words[name][counts[name].length === 1 ? 0 : 1], { count: counts[name].length }));
    const refused = this.files.filter(({ state, problem }) => state === "refused" || problem).length;
    if (refused) parts.push(say(this.words.refused[refused === 1 ? 0 : 1], { count: refused }));
    const message = document.createElement("p");
    message.className = `message upload ${refused || this.isStopped ? "warning" : "success"}`;
    message.setAttribute("role", "status");
    message.textContent = [parts.length ? `${parts.join(", ")}.` : "", this.isStopped ? this.words.stopped : ""].join(" ").trim();
    document.getElementById("main").prepend(message);
    message.scrollIntoView({ block: "nearest" });
    this.part("sending").hidden = !refused;
    this.part("overall").textContent = "";
    for (const one of this.files) if (one.row && one.state === "done" && !one.problem) one.row.row.remove();
    this.form.reset();
    this.form.elements.paths.value = "";
    dispatchEvent(new Event("follow"));
  }
}

function group(outcomes) {
  const groups = {};
  for (const one of outcomes) (groups[one.outcome] ??= []).push(one);
  return groups;
}

const section = document.querySelector("[data-upload]");
if (section) new Upload(section);

// Ticks

const bulk = document.getElementById("bulk");
if (bulk) {
  const all = bulk.querySelector("[data-tick-all]");
  const said = bulk.querySelector("[data-ticked]");
  const boxes = () => Array.from(document.querySelectorAll("input[form=bulk]"));
  const count = () => {
    const ticked = boxes().filter((box) => box.checked).length;
    said.textContent = say(said.dataset.ticked, { count: ticked });
    all.checked = ticked > 0 && ticked === boxes().length;
    all.indeterminate = ticked > 0 && !all.checked;
    for (const button of bulk.querySelectorAll("button")) button.disabled = !ticked;
  };
  all.closest("label").hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    count();
  });
  addEventListener("change", (event) => {
    if (event.target.form === bulk) count();
  });
  addEventListener("exchanged", count);
  count();
}

// Weights that do not sum to 1 are told before they are saved.
const weights = document.querySelector("[data-weights]");
if (weights) {
  const inputs = ["semantic_weight", "keyword_weight", "exact_weight"].map((name) => document.getElementById(`id_${name}`));
  const weigh = () => {
    const sum = inputs.reduce((total, input) => total + Number(input.value), 0);
    weights.textContent = Math.abs(sum - 1) > 1e-6 ? say(weights.dataset.weights, { sum: Number(sum.toFixed(6)) }) : "";
  };
  for (const input of inputs) input.addEventListener("input", weigh);
  weigh();
}
