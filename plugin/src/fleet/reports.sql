-- Reports over the observations of a fleet; docs/fleet.md. ClickHouse 18.16 and later.
--
-- Each query has a name. Put in: {D} the database, {E} the experiment and {P} the key of its epoch
-- (both are in the table epochs), {N} a cutoff, {G} the smallest relevant grade, {A} and {B} arms,
-- {V} a version of the judgements, {W} the version of the epoch, {T} topics in quotation marks with
-- commas. `([name])` stands for the query of that name.
--
-- Flags: sorted 1, filtered 256 and collapsed 512 keep a ranking out of scores (769); failed 64 and
-- timed out 128 have no ranking (192). A partial answer is scored as it was served. A row has
-- covered = 0 and exhausted = 0 if it is in no score.

-- [visits] Visits that users made, with their pages joined: which judged documents stood at which
-- ranks. A document counts once, at its first rank, and only if the visit was seen down to there;
-- pages that overlap are taken to agree. A row that was sent twice counts once.
SELECT topic, arm, spool, visit, any(n) AS num_rel, max(cov) AS covered, max(ex) AS exhausted,
  arraySort(groupArrayIf(toUInt32(r1), r1 > 0)) AS f FROM (SELECT topic, arm, spool, visit, p,
  any(num_rel) AS n, max(covered) AS cov, max(exhausted) AS ex, minIf(r, g >= {G} AND r > 0 AND r
  <= covered) AS r1 FROM {D}.observations LEFT ARRAY JOIN ranks AS r, grades AS g, positions AS p
  WHERE experiment = '{E}' AND epoch = {P} AND compared_arms = 0 AND late = 0 AND num_rel > 0 AND
  (covered > 0 OR exhausted) GROUP BY topic, arm, spool, visit, p) GROUP BY topic, arm, spool,
  visit

-- [topics] Sums over visits, by topic and arm: PRES = credit / (visits * num_rel * N),
-- R = found / (visits * num_rel), AP = ap / visits. Integers except ap, so that they are the same
-- whichever server saw a visit.
SELECT topic, arm, any(num_rel) AS n, count() AS visits, sum(length(h)) AS found, sum(length(h) *
  {N} + intDiv(length(h) * (length(h) + 1), 2) - arraySum(h)) AS credit, sum(arraySum((j, r) -> j
  / r, arrayEnumerate(h), h) / num_rel) AS ap FROM (SELECT topic, arm, num_rel, arrayFilter(r -> r
  <= {N}, f) AS h FROM ([visits]) WHERE covered >= {N} OR exhausted) GROUP BY topic, arm ORDER BY
  topic, arm

-- [arms] Means over topics. Sorted before they are added, so that the last digit does not depend on
-- the number of threads.
SELECT arm, count() AS topics, sum(visits) AS all_visits, arraySum(arraySort(groupArray(credit /
  (visits * n * {N})))) / topics AS pres, arraySum(arraySort(groupArray(found / (visits * n)))) /
  topics AS recall, arraySum(arraySort(groupArray(ap / visits))) / topics AS map FROM ([topics])
  GROUP BY arm ORDER BY arm

-- [slice] [arms] of some topics.
SELECT arm, count() AS topics, sum(visits) AS all_visits, arraySum(arraySort(groupArray(credit /
  (visits * n * {N})))) / topics AS pres, arraySum(arraySort(groupArray(found / (visits * n)))) /
  topics AS recall, arraySum(arraySort(groupArray(ap / visits))) / topics AS map FROM ([topics])
  WHERE topic IN ({T}) GROUP BY arm ORDER BY arm

-- [pairs] Sums over the visits that all arms ranked for comparison, on the same states of their
-- indexes, by topic. A search that failed is an empty ranking. For an experiment whose
-- shadow_latency is "not compared", put 1 for `compared_arms > 0`.
SELECT topic, any(n) AS num_rel, count() AS pairs, sum(kb) AS found_b, sum(ka) AS found_a, sum(cb)
  AS credit_b, sum(ca) AS credit_a, sum(ab) AS ap_b, sum(aa) AS ap_a FROM (SELECT topic, spool,
  visit, any(num_rel) AS n, anyIf(k, arm = '{A}') AS ka, anyIf(c, arm = '{A}') AS ca, anyIf(a, arm
  = '{A}') AS aa, anyIf(k, arm = '{B}') AS kb, anyIf(c, arm = '{B}') AS cb, anyIf(a, arm = '{B}')
  AS ab, uniqExact(arm) AS there, max(compared_arms) AS expected, min(good) AS all_good,
  uniqExactIf(generation, generation > 0) AS states, uniqExactIf(bitShiftRight(generation, 32),
  generation > 0) AS indexes FROM (SELECT topic, arm, spool, visit, num_rel, compared_arms,
  generation, bitAnd(flags, 192) > 0 AS failed, failed OR (bitAnd(flags, 769) = 0 AND (covered >=
  {N} OR exhausted)) AS good, arrayFilter((r, g) -> r <= {N} AND g >= {G}, ranks, grades) AS h,
  if(failed, 0, length(h)) AS k, if(failed, 0, length(h) * {N} + intDiv(length(h) * (length(h) +
  1), 2) - arraySum(h)) AS c, if(failed, 0, arraySum((j, r) -> j / r, arrayEnumerate(h), h) /
  num_rel) AS a FROM {D}.observations WHERE experiment = '{E}' AND epoch = {P} AND compared_arms >
  0 AND first_rank = 1 AND late = 0 AND num_rel > 0) GROUP BY topic, spool, visit) WHERE there >=
  expected AND all_good AND states = indexes GROUP BY topic ORDER BY topic

-- [differences] One row from [pairs]: PRES of B less that of A over all pairs. Verdicts are about
-- each topic's first pair instead; 'prescope log --summary' has them.
SELECT count() AS topics, sum(pairs) AS all_pairs, arraySum(arraySort(groupArray(d))) / topics AS
  mean_d, arraySum(arraySort(groupArray(d * d))) AS sum_d2, countIf(d > 0) AS wins, countIf(d = 0)
  AS ties, countIf(d < 0) AS losses FROM (SELECT pairs, round((toFloat64(credit_b) -
  toFloat64(credit_a)) / (pairs * num_rel * {N}), 12) AS d FROM ([pairs]))

-- [latency] Of searches that users waited for, in ns; retried and untimed ones are left out. A
-- search that failed never ended.
SELECT arm, count() AS queries, countIf(ns = toInt64(9223372036854775807)) AS without_end,
  quantilesExact(0.5, 0.9, 0.95, 0.99)(ns) AS ns_at FROM (SELECT arm, spool, seq,
  any(if(bitAnd(flags, 192) > 0, toInt64(9223372036854775807), latency_ns)) AS ns FROM
  {D}.observations WHERE experiment = '{E}' AND epoch = {P} AND compared_arms = 0 AND
  bitAnd(flags, 18) = 0 AND (latency_ns >= 0 OR bitAnd(flags, 192) > 0) GROUP BY arm, spool, seq)
  GROUP BY arm ORDER BY arm

-- [gaps] Rows of each store: what is there, what was sent twice and is not merged yet, and what is
-- missing of what the store was told is stored.
SELECT server, spool, present, repeated, acknowledged - present AS missing FROM (SELECT server,
  spool, toInt64(uniqExact(seq)) AS present, toInt64(count()) - present AS repeated FROM
  {D}.observations WHERE experiment = '{E}' GROUP BY server, spool) ALL INNER JOIN (SELECT server,
  spool, toInt64(sum(rows)) AS acknowledged FROM {D}.shipped FINAL WHERE experiment = '{E}' GROUP
  BY server, spool) USING server, spool ORDER BY server, spool

-- [rejudged] [topics] under the judgements {V}, of visits that were judged by {W}. Topics of which
-- {V} calls a document relevant that {W} did not judge are left out: nobody looked where it stood.
SELECT topic, arm, any(num) AS n, count() AS visits, sum(length(h)) AS found, sum(length(h) * {N}
  + intDiv(length(h) * (length(h) + 1), 2) - arraySum(h)) AS credit, sum(arraySum((j, r) -> j / r,
  arrayEnumerate(h), h) / num) AS ap FROM (SELECT topic, arm, num, arraySort(arrayFilter((r, p) ->
  r > 0 AND r <= {N} AND now[p + 1], rs, ps)) AS h FROM (SELECT topic, arm, spool, visit, max(cov)
  AS c, max(ex) AS e, groupArray(r1) AS rs, groupArray(p) AS ps FROM (SELECT topic, arm, spool,
  visit, p, max(covered) AS cov, max(exhausted) AS ex, minIf(r, r > 0 AND r <= covered) AS r1 FROM
  {D}.observations LEFT ARRAY JOIN ranks AS r, positions AS p WHERE experiment = '{E}' AND epoch =
  {P} AND compared_arms = 0 AND late = 0 AND topic != '' AND (covered > 0 OR exhausted) GROUP BY
  topic, arm, spool, visit, p) GROUP BY topic, arm, spool, visit HAVING c >= {N} OR e) ALL INNER
  JOIN (SELECT topic, arrayMap(d -> has(rels, d), was) AS now, length(rels) AS num FROM (SELECT
  topic, anyIf(docs, version = {W}) AS was, anyIf(rel, version = {V}) AS rels FROM (SELECT topic,
  version, docs, arrayFilter((d, x) -> x, docs, relevant) AS rel FROM {D}.judgements WHERE
  experiment = '{E}' AND version IN ({W}, {V})) GROUP BY topic) WHERE num > 0 AND hasAll(was,
  rels)) USING topic WHERE notEmpty(now)) GROUP BY topic, arm ORDER BY topic, arm
