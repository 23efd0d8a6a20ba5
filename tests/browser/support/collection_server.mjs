// A stand-in server of a collection (collection.mjs).
import { sweepDocument, topicDocuments, topicsDocument } from "./collection.mjs";
import { liveSummary, summaryDocument } from "./documents.mjs";
import { StandIn } from "./stand_in.mjs";

export const cutoffs = [1, 2, 5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];

export async function serveCollection(collection) {
  const server = await new StandIn().start();
  server.asked = [];
  show(server, collection);
  return server;
}

/** Serves documents of this collection from now on, and tells connected pages. */
export function show(server, collection) {
  server.collection = collection;
  server.answers = {
    "/api/topics": (url) => {
      server.asked.push(url.search);
      return topicsDocument(collection, url.searchParams);
    },
    "/api/sweep": sweepDocument(collection, cutoffs),
    ...Object.fromEntries(topicDocuments(collection).map((topic) => [`/api/topic/${topic.topic}`, topic])),
  };
  server.publish(summaryDocument(summaryOf(server, collection), { has: { experiment: true, series: false, history: false } }));
}

/** A live summary with the names and counts of the collection; each call has more observations. */
function summaryOf(server, { arms, measures, topics }) {
  const summary = liveSummary();
  const [arm] = summary.arms, [pair] = summary.pairs;
  const perMeasure = (values) => Object.fromEntries(measures.map((measure) => [measure, structuredClone(Object.values(values)[0])]));
  return { ...summary, measures, topics: topics.length,
    epoch: { ...summary.epoch, observations: topics.length * arms.length + server.events },
    arms: arms.map((name) => ({ ...structuredClone(arm), name, topics_seen: topics.length, means: perMeasure(arm.means) })),
    pairs: arms.slice(1).map((b) => ({ ...structuredClone(pair), a: arms[0], b, differences: perMeasure(pair.differences) })) };
}
