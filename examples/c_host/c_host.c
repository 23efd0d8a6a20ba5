/* A host in C99: a small engine with two ranking configurations, and all that it adds to have them
   compared in mode paired. What is between the marks is prescope's; the rest is any C program.

     c_host [VISITS]

   It answers the topic T as often as asked for, once by default, and prints the summary. */

#include <prescope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kDocuments = 4, kMostHits = 4 };

static const char* const kDocnos[kDocuments] = {"D1", "D2", "D3", "D4"};
static const char* const kTexts[kDocuments] = {"brake", "brake disc", "brake disc caliper", "lens"};

/* Hits in served order, and the time that the search took. */
struct answer {
  uint32_t docids[kMostHits];
  size_t hits;
  int64_t started_ns, ended_ns;
};

static int64_t now_ns(void) { return (int64_t)(clock() * (1000000000.0 / CLOCKS_PER_SEC)) + 1; }

/* Arm 0 looks for "brake", arm 1 also for "disc". More words found come first, then shorter texts,
   which are those with the smaller number. */
static struct answer search(uint32_t arm) {
  struct answer answer = {{0}, 0, now_ns(), 0};
  for (int wanted = 2; wanted >= 1; --wanted) {
    for (uint32_t i = 0; i < kDocuments; ++i) {
      const int found = (strstr(kTexts[i], "brake") != NULL) +
                        (arm == 1 && strstr(kTexts[i], "disc") != NULL);
      if (found == wanted) answer.docids[answer.hits++] = i;
    }
  }
  answer.ended_ns = now_ns();
  return answer;
}

static void stop(const char* what, const prescope_error* error) {
  fprintf(stderr, "c_host: %s: %s\n", what, error->message);
  exit(1);
}

/* ---- prescope: the index tells which number a judged document has, once for each state of it. */
static int look_up(void* context, prescope_found* found) {
  (void)context;
  for (uint32_t i = 0; i < kDocuments; ++i) {
    const prescope_text docno = {kDocnos[i], strlen(kDocnos[i])};
    prescope_found_add(found, docno, i);
  }
  return 0;
}
/* ---- */

/* What a search for comparison needs to search as the served query did. */
struct request {
  prescope_experiment* experiment;
  const prescope_index* index;
};

/* ---- prescope: tells what was found; without a visit it is a search for comparison. */
static void observe(const struct request* request, const prescope_visit* visit, uint32_t arm,
                    const struct answer* answer) {
  prescope_ranking ranking = PRESCOPE_RANKING_INIT;
  ranking.arm = arm;
  ranking.index = request->index;
  ranking.docids = answer->docids;
  ranking.num_docids = answer->hits;
  ranking.requested_depth = kMostHits;
  ranking.started_ns = answer->started_ns;
  ranking.ended_ns = answer->ended_ns;
  (void)prescope_observe(request->experiment, visit, &ranking);
}

static int search_for_comparison(void* context, uint32_t arm) {
  const struct answer answer = search(arm);
  observe(context, NULL, arm, &answer);
  return 0;
}
/* ---- */

/* The answer to a user. */
static void answer_topic(const struct request* request, prescope_text topic) {
  /* ---- prescope */
  prescope_request asked = PRESCOPE_REQUEST_INIT;
  asked.topic = topic;
  const prescope_visit visit = prescope_begin(request->experiment, &asked);
  /* ---- */
  const struct answer answer = search(0);
  /* Here the answer goes out. */
  /* ---- prescope */
  observe(request, &visit, 0, &answer);
  struct request* const kept = malloc(sizeof(*kept));
  if (kept == NULL) return;
  *kept = *request;
  if (prescope_wants_shadow(request->experiment, &visit)) {
    (void)prescope_shadow(request->experiment, &visit, 0, search_for_comparison, free, kept);
  } else {
    free(kept);
  }
  /* ---- */
}

int main(int argc, char** argv) {
  const int visits = argc > 1 ? atoi(argv[1]) : 1;
  prescope_error error;

  /* A made-up citation: the patent application T was given D1 and D3 as prior art. */
  const char* const topics[] = {"T", "T"};
  const char* const judged[] = {"D1", "D3"};
  const int32_t grades[] = {1, 1};
  const prescope_column topic_column = {2, topics, 0, NULL, 0, PRESCOPE_POINTERS};
  const prescope_column docno_column = {2, judged, 0, NULL, 0, PRESCOPE_POINTERS};
  prescope_qrels* qrels = NULL;
  if (prescope_qrels_from_columns(&topic_column, &docno_column, grades, NULL, &qrels, &error)) {
    stop("judgements", &error);
  }

  const char* const arms[] = {"short", "disc"};
  prescope_experiment_options options = PRESCOPE_EXPERIMENT_OPTIONS_INIT;
  options.arms = arms;
  options.num_arms = 2;
  options.measures = "PRES@4,R@4,AP@4";
  options.mode = "paired";
  options.shadow_queue = 65536;
  prescope_experiment* experiment = NULL;
  if (prescope_experiment_open(qrels, &options, &experiment, &error)) stop("experiment", &error);
  prescope_qrels_free(qrels); /* the experiment has its own */

  prescope_index* index = NULL;
  if (prescope_index_open(experiment, NULL, kDocuments, look_up, NULL, &index, &error) ||
      prescope_index_set_arm(experiment, 0, index, &error) ||
      prescope_index_set_arm(experiment, 1, index, &error)) {
    stop("index", &error);
  }

  const struct request request = {experiment, index};
  const prescope_text topic = {"T", 1};
  for (int i = 0; i < visits; ++i) answer_topic(&request, topic);

  char* table = NULL;
  if (prescope_drain_shadow(experiment, &error) ||
      prescope_summary(experiment, "table", &table, &error)) {
    stop("summary", &error);
  }
  fputs(table, stdout);
  prescope_text_free(table);
  prescope_index_free(index);
  prescope_experiment_close(experiment);
  return 0;
}
