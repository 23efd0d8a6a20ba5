import type { Source } from "../data/source.ts";
import type { TopicsPage } from "../data/documents.ts";
import type { ListQuery } from "./topic_hash.ts";

/** A topic beside another in the list, and the page that it is on. */
export interface Neighbour {
  topic: string;
  page: number;
}

/** Where a topic stands in the list that it was opened from. */
export interface Neighbours {
  /** From 1; null where the list as it is now does not have the topic at its place. */
  position: number | null;
  matching: number;
  previous: Neighbour | null;
  next: Neighbour | null;
}

/** Asks for the topic's page of the list, and for the one before or behind where it stands at the edge. */
export async function neighboursOf(topic: string, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbours> {
  const page = await source.topics(query);
  const at = page.topics.findIndex((row) => row.topic === topic);
  if (at < 0) return { position: null, matching: page.matching, previous: null, next: null };
  return {
    position: page.page * page.size + at + 1, matching: page.matching,
    previous: await previousTo(at, page, query, source), next: await nextTo(at, page, query, source),
  };
}

async function previousTo(at: number, page: TopicsPage, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbour | null> {
  if (at > 0) return { topic: page.topics[at - 1]!.topic, page: page.page };
  if (page.page === 0) return null;
  const before = await source.topics({ ...query, page: page.page - 1 });
  const row = before.topics.at(-1);
  return row ? { topic: row.topic, page: page.page - 1 } : null;
}

async function nextTo(at: number, page: TopicsPage, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbour | null> {
  const row = page.topics[at + 1];
  if (row) return { topic: row.topic, page: page.page };
  if ((page.page + 1) * page.size >= page.matching) return null;
  const behind = await source.topics({ ...query, page: page.page + 1 });
  const first = behind.topics[0];
  return first ? { topic: first.topic, page: page.page + 1 } : null;
}
