// What each measure means, in the words of `prescope explain`; a test holds the two together.

export const meanings: Record<string, string> = {
  PRES: "How early the known relevant documents arrive within the N documents read.",
  R: "Recall: the share of the known relevant documents found within the N read.",
  AP: "Average precision: precision at each relevant document found, averaged over all n; its mean over topics is MAP.",
  bpref: "How seldom a document judged not relevant stands above a relevant one; documents that nobody judged do not count.",
  nDCG: "How near the ranking comes to one with the highest grades first; a document is worth its grade, less the later it comes.",
  Fap: "F': average precision and recall in one number; recall counts b^2 times as much.",
  F: "Precision and recall in one number; recall counts b^2 times as much.",
  GMAP: "Average precision, whose mean over topics is geometric, so that topics which fail weigh more. Of a single topic it is AP.",
  infAP: "Average precision estimated where only a sample of the pool was judged; a negative grade marks a pooled document that was not.",
  Judged: "The share of the N documents read that somebody judged; how far the other measures can be trusted.",
  P: "Precision: the share of the N documents read that is known to be relevant.",
  PRESest: "PRES as a share of the best that N allows, for topics with more relevant documents than N.",
  Rnorm: "Normalised recall: how near the ranking of the whole collection comes to one with all relevant documents first.",
  Rprec: "Precision at rank n, where it equals recall: n is the topic's own cutoff.",
  RBP: "Rank-biased precision: the share of relevant documents that a searcher meets who goes on to the next one with probability p.",
  RR: "How early the first relevant document arrives.",
  Success: "Whether the N documents read have a relevant one among them.",
};

/** Of a measure such as PRES@100 or RBP(p=0.8)@50; its cutoff N is named. */
export function measureExplanation(measure: string): string {
  const [, name = "", cutoff] = /^(\w+)[^@]*(?:@(\d+))?$/.exec(measure) ?? [];
  const meaning = meanings[name] ?? measure;
  return cutoff ? `${meaning} N = ${cutoff}.` : meaning;
}

const namesOfMeans: Record<string, string> = { AP: "MAP", R: "Recall", RR: "MRR" };

/** The field's word for the mean of a measure over topics: AP@100 is MAP@100, R@100 Recall@100. */
export function meanName(measure: string): string {
  const name = /^\w+/.exec(measure)?.[0] ?? "";
  return (namesOfMeans[name] ?? name) + measure.slice(name.length);
}
