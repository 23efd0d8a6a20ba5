// Documents in the form of docs/http.md, computed by the textbook formulas from rankings of judged
// documents alone: for stand-in servers, and for comparison with the page.

const mean = (values) => values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
const within = (ranks, cutoff) => ranks.filter((rank) => rank <= cutoff);

/** Magdy & Jones, SIGIR 2010, as their equation has it: missing documents stand behind N. */
export function textbookPres(n, cutoff, ranks) {
  const found = within(ranks, cutoff);
  const places = Array.from({ length: n }, (_, i) => found[i] ?? cutoff + i + 1);
  const sum = places.reduce((total, rank) => total + rank, 0);
  return 1 - (sum / n - (n + 1) / 2) / cutoff;
}

export function textbookRecall(n, cutoff, ranks) {
  return within(ranks, cutoff).length / n;
}

export function textbookAveragePrecision(n, cutoff, ranks) {
  return within(ranks, cutoff).reduce((sum, rank, i) => sum + (i + 1) / rank, 0) / n;
}

const formulas = { PRES: textbookPres, R: textbookRecall, AP: textbookAveragePrecision };

/** The value of "PRES@100" and so on, or null if the ranking is too shallow for one. */
export function textbookScore(measure, n, arm) {
  const [kind, cutoff] = measure.split("@");
  if (!arm.seen || (arm.num_ret < Number(cutoff) && !arm.exhausted)) return null;
  return formulas[kind](n, Number(cutoff), arm.ranks.filter((rank) => rank !== null).sort((a, b) => a - b));
}

/**
 * A collection: `measures`, `arms` (names) and `topics`. Each has `topic`, `citations` (docno,
 * grade, relevant) and `arms`, in order: seen, visits, num_ret, exhausted, latency_ms, in_index (by
 * citation), ranks (by citation, null if not served). The topics here: TOPIC.
 */
export function topicDocument(collection, topic) {
  const relevant = topic.citations.map((citation) => citation.relevant);
  const n = relevant.filter(Boolean).length;
  const relevantRanks = (arm) => arm.ranks.filter((rank, i) => rank !== null && relevant[i]).sort((a, b) => a - b);
  const measure = collection.measures.find((name) => name.startsWith("PRES@"));
  const cutoff = Number(measure.split("@")[1]);
  const arms = topic.arms.map((arm, i) => {
    const scores = Object.fromEntries(collection.measures.map((name) =>
      [name, textbookScore(name, n, { ...arm, ranks: relevantRanks(arm) })]));
    return {
      name: collection.arms[i], seen: arm.seen, visits: arm.visits, num_ret: arm.num_ret,
      exhausted: arm.exhausted, awaiting: false, latency_ms: arm.latency_ms, scores, means: scores,
      relevant_ranks: relevantRanks(arm),
    };
  });
  const citations = topic.citations.map((citation, i) => ({
    docno: citation.docno, grade: citation.grade, relevant: citation.relevant,
    arms: topic.arms.map((arm) => ({ rank: arm.ranks[i], in_index: arm.in_index?.[i] ?? null })),
  }));
  return { topic: topic.topic, num_rel: n, cutoff, measure, arms, citations,
    pairs: arms.slice(1).flatMap((arm) => pairOf(arms[0], arm, measure, cutoff, n, citations, arms.indexOf(arm))) };
}

function pairOf(a, b, measure, cutoff, n, citations, index) {
  if (a.scores[measure] === null || b.scores[measure] === null) return [];
  const credit = (citation, arm, ranks) => {
    const { rank } = citation.arms[arm];
    if (!citation.relevant || rank === null || rank > cutoff) return 0;
    return cutoff + (ranks.indexOf(rank) + 1) - rank;
  };
  const shares = citations.map((citation) =>
    (credit(citation, index, b.relevant_ranks) - credit(citation, 0, a.relevant_ranks)) / (n * cutoff));
  return [{ a: a.name, b: b.name, measure, difference: b.scores[measure] - a.scores[measure], shares }];
}

export function topicDocuments(collection) {
  return collection.topics.map((topic) => topicDocument(collection, topic));
}

/** SWEEP. */
export function sweepDocument(collection, cutoffs) {
  const documents = topicDocuments(collection);
  return {
    cutoffs,
    words: { sentences: ["Recall: early is ahead up to N = 20, late is ahead from N = 30 on.", "The measures disagree."], depth: "late was served 500 deep." },
    arms: collection.arms.map((name, i) => {
      const served = documents.filter((topic) => topic.arms[i].seen && topic.num_rel > 0);
      const open = served.filter((topic) => !topic.arms[i].exhausted).map((topic) => topic.arms[i].num_ret);
      const depth = open.length ? Math.min(...open) : null;
      const column = (kind) => cutoffs.map((cutoff) => depth !== null && cutoff > depth ? null
        : mean(served.map((topic) => formulas[kind](topic.num_rel, cutoff, topic.arms[i].relevant_ranks))));
      return { name, topics: served.length, depth,
        PRES: column("PRES"), R: column("R"), AP: column("AP") };
    }),
  };
}

/** Returns the answer of /api/topics to these parameters. */
export function topicsDocument(collection, parameters = new URLSearchParams()) {
  const wanted = (name, otherwise) => parameters.get(name) ?? otherwise;
  const measure = wanted("measure", collection.measures[0]), a = wanted("a", collection.arms[0]), b = wanted("b", collection.arms[1] ?? null);
  const sort = wanted("sort", "abs_difference"), order = wanted("order", "desc");
  const page = Number(wanted("page", 0)), size = Number(wanted("size", 50)), search = wanted("search", "").toLowerCase();
  const rows = topicDocuments(collection).map((topic) => rowOf(topic, measure, a, b));
  const matching = rows.filter((row) => row.topic.toLowerCase().includes(search));
  const key = (row) => sortKeys[sort](row, (name) => row.arms.find((arm) => arm.name === name), a, b);
  const [valued, others] = [matching.filter((row) => key(row) !== null), matching.filter((row) => key(row) === null)];
  const byId = (x, y) => (x.topic < y.topic ? -1 : 1);
  valued.sort((x, y) => (key(x) === key(y) ? byId(x, y) : (key(x) < key(y) ? -1 : 1) * (order === "asc" ? 1 : -1)));
  const differences = rows.map((row) => row.difference).filter((value) => value !== null);
  const strip = Array.from({ length: 40 }, (_, i) => {
    const low = (i - 20) / 20, high = (i - 19) / 20, [near, far] = i < 20 ? [-high, -low] : [low, high];
    const inside = (d) => Math.sign(d) === (i < 20 ? -1 : 1) && Math.abs(d) > near + 1e-10 && Math.abs(d) <= far + 1e-10;
    return { low, high, topics: differences.filter(inside).length };
  });
  return { measure, a, b, total: rows.length, matching: matching.length, page, size, sort, order,
    wins: differences.filter((d) => d > 0).length, ties: differences.filter((d) => d === 0).length,
    losses: differences.filter((d) => d < 0).length, strip,
    topics: [...valued, ...others.sort(byId)].slice(page * size, (page + 1) * size) };
}

const sortKeys = {
  topic: (row) => row.topic, num_rel: (row) => row.num_rel, difference: (row) => row.difference,
  abs_difference: (row) => (row.difference === null ? null : Math.abs(row.difference)),
  visits: (row, arm, a, b) => (arm(a)?.visits ?? 0) + (arm(b)?.visits ?? 0),
  score_a: (row, arm, a) => arm(a)?.mean ?? null, score_b: (row, arm, a, b) => arm(b)?.mean ?? null,
  latency_a: (row, arm, a) => arm(a)?.latency_ms ?? null, latency_b: (row, arm, a, b) => arm(b)?.latency_ms ?? null,
};

function rowOf(topic, measure, a, b) {
  const arms = topic.arms.map((arm) => ({ name: arm.name, seen: arm.seen, visits: arm.visits, mean: arm.means[measure],
    last: arm.scores[measure], found: within(arm.relevant_ranks, Number(measure.split("@")[1])).length,
    num_ret: arm.num_ret, latency_ms: arm.latency_ms }));
  const [from, to] = [a, b].map((name) => arms.find((arm) => arm.name === name)?.mean ?? null);
  return { topic: topic.topic, num_rel: topic.num_rel, difference: from === null || to === null ? null : Number((to - from).toFixed(12)) || 0, arms };
}
