// Reports as the program writes them: of small rankings made here, with names that would be markup.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const program = join(process.env.PRESCOPE_BIN, "prescope");
const measures = "PRES@20,R@20,AP";

export const hostile = {
  topic: "<img/src=x/onerror=window.hacked=1>", docno: "</script><script>window.hacked=2</script>", tag: "\"><svg/onload=window.hacked=3>",
};

/** A folder of qrels and runs in which the program makes reports. */
export class Reports {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "prescope-reports-"));
    const topics = Array.from({ length: 59 }, (_, index) => `EP${1000001 + index}A1`).concat(hostile.topic);
    this.write("qrels.txt", topics.flatMap((topic) => relevant(topic).map((docno) => `${topic} 0 ${docno} 1`)));
    this.write("topics.tsv", topics.map((topic) => `${topic}\twords`));
    this.writeRun("old.run", topics, seeded(1), 1);
    this.writeRun("new.run", topics, seeded(2), 0.8);
    this.writeRun("worse.run", topics, seeded(3), 3);
    this.write("ids.run", [readFileSync(join(this.folder, "old.run"), "utf8").trim().replace(/ (EP\d+)A1 /g, " $1 ")]);
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }

  write(name, lines) {
    writeFileSync(join(this.folder, name), `${lines.join("\n")}\n`);
  }

  /**
   * Writes 20 hits for each topic; the first of the hostile topic is its hostile document. Relevant
   * documents stand at ranks that grow with `slope`; some are missing.
   */
  writeRun(name, topics, random, slope) {
    this.write(name, topics.flatMap((topic) => {
      const hits = Array.from({ length: 20 }, (_, rank) => `X${rank}`);
      for (const docno of relevant(topic)) {
        const rank = Math.floor(random() * random() * 24 * slope);
        if (rank < 20 && docno !== hostile.docno) hits[rank] = docno;
      }
      if (topic === hostile.topic && slope < 2) hits[0] = hostile.docno;
      return hits.map((docno, rank) => `${topic} Q0 ${docno} ${rank + 1} ${100 - rank} ${hostile.tag}`);
    }));
  }

  /** Runs the program here; gives the exit code. */
  run(...commandLine) {
    const { status, stderr } = spawnSync(program, commandLine, { cwd: this.folder, encoding: "utf8" });
    if (status === 2 && stderr) throw new Error(`prescope ${commandLine.join(" ")}: ${stderr}`);
    return status;
  }

  /** The document and the address of a page that a command wrote. */
  written(name) {
    return { document: JSON.parse(readFileSync(join(this.folder, `${name}.json`), "utf8")), url: pathToFileURL(join(this.folder, `${name}.html`)).href };
  }

  comparison(name, ...runs) {
    this.run("compare", "qrels.txt", ...runs, "-m", measures, "--json", `${name}.json`, "--html", `${name}.html`);
    return this.written(name);
  }

  /** As comparison(), of runs with long names. */
  longComparison() {
    const names = ["old", "new", "worse"].map((name) => `${name}-${"long-name-".repeat(12)}.run`);
    for (const name of names) this.write(name, [readFileSync(join(this.folder, `${name.split("-", 1)}.run`), "utf8").trim()]);
    return this.comparison("long", ...names);
  }

  /** A run gated against old.run, which is pinned, with a citation of the hostile topic that must be found. */
  gate(name, run, by = measures, ...more) {
    this.write("must.txt", [`${hostile.topic} 0 ${hostile.docno} 1`]);
    this.pin(`${name}.db`, by, "--must-find", "must.txt");
    this.run("gate", `${name}.db`, "--from", run, "--qrels", "qrels.txt", "-m", by, "--json", `${name}.json`, "--html", `${name}.html`, ...more);
    return this.written(name);
  }

  /** As gate(), by a measure without a cutoff, which does not ask for the fate of citations. */
  gateByMap(name, run) {
    this.write("rules.toml", ["[[decisions]]", "measure = 'AP'", "margin = 0.01"]);
    return this.gate(name, run, "AP", "--rules", "rules.toml");
  }

  /** As gate(), with a slice of 55 topics whose name would be markup, and one that is too small to speak. */
  gateSlices(name, run) {
    this.writeSlices();
    return this.gate(name, run, measures, "--slices", "slices.tsv");
  }

  writeSlices() {
    const topics = [...new Set(readFileSync(join(this.folder, "qrels.txt"), "utf8").trim().split("\n").map((line) => line.split(" ")[0]))];
    this.write("slices.tsv", ["topic\tpart", ...topics.map((topic, index) => `${topic}\t${index < 55 ? hostile.tag : "small"}`)]);
  }

  pin(store, by = measures, ...more) {
    this.run("pin", store, "--from", "old.run", "--qrels", "qrels.txt", "-m", by, "--why", "<b>first</b>", ...more);
  }

  /** A store of six nights: pinned, passed, failed, of other ids, passed, another ranking. */
  history(name = "history", ...more) {
    const store = `${name}.db`;
    this.pin(store);
    for (const run of ["old.run", "worse.run", "ids.run", "old.run", "new.run"]) this.run("gate", store, "--from", run, "--qrels", "qrels.txt", "-m", measures);
    this.run("history", store, "--html", `${name}.html`, ...more);
    const { stdout } = spawnSync(program, ["history", store, "--format", "json", "-m", "PRES@20,R@20", ...more], { cwd: this.folder, encoding: "utf8" });
    writeFileSync(join(this.folder, `${name}.json`), stdout);
    return this.written(name);
  }

  /** As history(), by slices, too. */
  historySlices() {
    this.writeSlices();
    return this.history("history-slices", "--slices", "slices.tsv", "--slice-by", "part,relevant");
  }

  /** Both runs as the arms of a replay, searched by the run-file engine. */
  replay(name = "replay", arms = ["old", "new"]) {
    mkdirSync(join(this.folder, "runs"), { recursive: true });
    for (const run of ["old.run", "new.run"]) writeFileSync(join(this.folder, "runs", run), readFileSync(join(this.folder, run)));
    const tables = arms.map((arm) => `[[arms]]\nname = '${arm}'\nrun = '${arm.split("-", 1)}.run'`);
    this.write("replay.toml", ["name = '<i>again</i>'", "engine = 'run-file'", "index = 'runs'", "cutoffs = [10, 20]", "depth = 20",
      "[qrels]", "path = 'qrels.txt'", "[topics]", "path = 'topics.tsv'", ...tables]);
    this.run("replay", "replay.toml", "--json", `${name}.json`, "--html", `${name}.html`);
    return this.written(name);
  }
}

function relevant(topic) {
  const docnos = [2, 3, 4, 5].map((first) => `EP${first}${topic.replace(/\D/g, "").slice(0, 7)}A1`);
  return topic === hostile.topic ? [hostile.docno, ...docnos] : docnos;
}

function seeded(state) {
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}
