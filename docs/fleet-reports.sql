-- Reports over all servers of a fleet, for ClickHouse 18.16 and later: how to run them is in
-- docs/fleet-production.md. [NAME] begins a query, and an empty line ends it.
--
-- A parameter is written as ClickHouse 20 and later bind it, {cutoff:UInt32}: clickhouse-client
-- takes --param_cutoff=100, the HTTP interface &param_cutoff=100. Earlier releases bind nothing:
-- put the value in its place, a text in quotation marks. Tables are those of the session's
-- database.
--
-- experiment, epoch   as [epochs] lists them
-- cutoff              N of PRES@N, R@N and AP@N
-- a, b                the arms that are compared, as b - a
-- topics, slices      two lists of the same length, topics and the slice of each. Other topics are
--                     in the slice ''; [''] and [''] leave all of them there.
-- seconds             length of an interval: 3600 for hours
-- shadow              0: searches that users waited for; 1: searches for comparison
-- version             of the judgements, as [judgements] lists them
-- spool               a store's number, as [gaps] lists it
--
-- Which rankings count, as in the program:
-- * prescope's own rules fill failed, unseen, timed, scored and known_depth, so that no query
--   repeats a rule. `covered`, `exhausted` and `known_depth` are 0 in rankings that are
--   not scored: sorted, filtered and collapsed ones, unless the host scores them. The first two are
--   0 also in pages after a gap, and in late ones. A partial ranking is scored as it was served,
--   the ranks that it lacks as empty. A visit has a value at N if it was seen down to rank N, or to
--   the end of the ranking.
-- * A ranking for a user has compared_arms = 0. Pages of a visit are one ranking: a rank belongs to
--   the first page that reached it, and a document counts at its first rank. A first page that its
--   request was served again takes the place of what came before if covered = num_ret. Otherwise
--   another one was named as served, and it counts for nothing.
-- * Only stages 0 (not said) and 2 (served) are scored; 1 is candidates, from 3 on a host's own.
-- * A search that `failed` is an empty ranking, unless its request was answered. An `unseen` row
--   is no ranking: with compared_arms above 0 it only says that the visit was to be compared.
-- * A pair needs a first page from every compared arm, on one state of each index. If an arm ranked
--   a visit twice, the first search for comparison counts, but the last ranking for the user.
-- * Rows that were sent twice count once, because rows are grouped by spool and visit, or seq.
-- Expressions with a (SELECT ...) stand outside of the part that reads a table, because ClickHouse
-- 18.16 cannot compute them on another shard. Grades are compared with min_grade - 0.5 because it
-- takes a min_grade of 2 for the 2 of h.2.
-- PRES = credit / (visits num_rel N), R = found / (visits num_rel), AP = sum of AP / visits: found
-- and credit are integers, and so the same whatever the order of rows.

-- [epochs] The epochs of each experiment, the latest last, with the servers that took part.
SELECT experiment, epoch, min(began_ms) AS began,
  arraySort(groupUniqArray(server)) AS servers,
  argMax(mode, made_ms) AS arms_get_queries, any(judgements) AS version, any(text) AS what
FROM epochs GROUP BY experiment, epoch ORDER BY experiment, began, epoch

-- [judgements] The versions of an experiment's judgements.
SELECT version, uniqExact(topic) AS topics, countIf(num_rel > 0) AS with_relevant
FROM (SELECT version, topic, any(num_rel) AS num_rel FROM judgements
  WHERE experiment = {experiment:String} GROUP BY version, topic)
GROUP BY version ORDER BY version

-- [measures] By topic and arm, over the visits that users were served.
SELECT topic, arm, any(n) AS num_rel, count() AS visits, sum(k) AS found, sum(c) AS credit,
  credit / (visits * num_rel * {cutoff:UInt32}) AS pres, found / (visits * num_rel) AS recall,
  arraySum(arraySort(groupArray(a))) / visits AS ap
FROM (
  SELECT topic, arm, n, arrayMap(h -> h.1, arrayFilter((h, i) -> i = 1, hits,
      arrayEnumerateUniq(arrayMap(h -> h.2, hits)))) AS f,
    length(f) AS k, k * {cutoff:UInt32} + intDiv(k * (k + 1), 2) - arraySum(f) AS c,
    arraySum((j, r) -> j / r, arrayEnumerate(f), f) / n AS a
  FROM (
    SELECT topic, arm, any(num_rel) AS n, max(first_page) AS start,
      arrayFilter(r -> r.1 >= start, groupArray(
        (seq, known_depth, exhausted AND NOT failed, failed))) AS rankings,
      arrayReduce('max', arrayMap(r -> r.2, rankings)) AS seen,
      arrayReduce('max', arrayMap(r -> r.3, rankings))
        OR arrayReduce('min', arrayMap(r -> r.4, rankings)) AS is_ended,
      arrayFilter(p -> p.1 >= start, arraySort(groupUniqArray((seq, covered)))) AS pages,
      arraySort(arrayMap(h -> (h.2, h.3), arrayFilter(
        h -> h.1 = arrayFirst(p -> p.2 >= h.2, pages).1, groupArrayArray(found_hits)))) AS hits
    FROM (
      SELECT topic, arm, spool, visit, seq, covered, exhausted, failed, known_depth, first_page,
        num_rel,
        arrayMap(h -> (seq, h.1, h.2), arrayFilter(h -> h.1 <= {cutoff:UInt32} AND h.3 > (
          SELECT argMax(min_grade, made_ms) - 0.5 FROM epochs
          WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
        ), arrayMap((r, p, g) -> (r, p, g), ranks, positions, grades))) AS found_hits
      FROM (
        SELECT topic, arm, spool, visit, seq, covered, exhausted, num_rel, ranks, positions,
          grades, if(first_rank = 1 AND covered = num_ret, seq, 0) AS first_page,
          failed, known_depth
        FROM observations
        WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND compared_arms = 0
          AND stage IN (0, 2)
          AND num_rel > 0 AND late = 0 AND (covered > 0 OR exhausted
            OR (first_rank = 1 AND num_ret = 0 AND known_depth > 0))
      )
    ) GROUP BY topic, arm, spool, visit
  ) WHERE (seen >= {cutoff:UInt32} OR is_ended) AND (notEmpty(pages) OR start > 0)
) GROUP BY topic, arm ORDER BY topic, arm

-- [means] By slice and arm: means over topics, each with its mean over the visits that users were
-- served.
SELECT transform(topic, {topics:Array(String)}, {slices:Array(String)}, '') AS slice, arm,
  count() AS topics,
  sum(visits) AS all_visits, arraySum(arraySort(groupArray(pres))) / topics AS mean_pres,
  arraySum(arraySort(groupArray(recall))) / topics AS mean_recall,
  arraySum(arraySort(groupArray(ap))) / topics AS mean_ap
FROM (
  SELECT topic, arm, any(n) AS num_rel, count() AS visits, sum(k) AS found, sum(c) AS credit,
    credit / (visits * num_rel * {cutoff:UInt32}) AS pres, found / (visits * num_rel) AS recall,
    arraySum(arraySort(groupArray(a))) / visits AS ap
  FROM (
    SELECT topic, arm, n, arrayMap(h -> h.1, arrayFilter((h, i) -> i = 1, hits,
        arrayEnumerateUniq(arrayMap(h -> h.2, hits)))) AS f,
      length(f) AS k, k * {cutoff:UInt32} + intDiv(k * (k + 1), 2) - arraySum(f) AS c,
      arraySum((j, r) -> j / r, arrayEnumerate(f), f) / n AS a
    FROM (
      SELECT topic, arm, any(num_rel) AS n, max(first_page) AS start,
        arrayFilter(r -> r.1 >= start, groupArray(
          (seq, known_depth, exhausted AND NOT failed, failed))) AS rankings,
        arrayReduce('max', arrayMap(r -> r.2, rankings)) AS seen,
        arrayReduce('max', arrayMap(r -> r.3, rankings))
          OR arrayReduce('min', arrayMap(r -> r.4, rankings)) AS is_ended,
        arrayFilter(p -> p.1 >= start, arraySort(groupUniqArray((seq, covered)))) AS pages,
        arraySort(arrayMap(h -> (h.2, h.3), arrayFilter(
          h -> h.1 = arrayFirst(p -> p.2 >= h.2, pages).1, groupArrayArray(found_hits)))) AS hits
      FROM (
        SELECT topic, arm, spool, visit, seq, covered, exhausted, failed, known_depth, first_page,
          num_rel,
          arrayMap(h -> (seq, h.1, h.2), arrayFilter(h -> h.1 <= {cutoff:UInt32} AND h.3 > (
            SELECT argMax(min_grade, made_ms) - 0.5 FROM epochs
            WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
          ), arrayMap((r, p, g) -> (r, p, g), ranks, positions, grades))) AS found_hits
        FROM (
          SELECT topic, arm, spool, visit, seq, covered, exhausted, num_rel, ranks, positions,
            grades, if(first_rank = 1 AND covered = num_ret, seq, 0) AS first_page,
            failed, known_depth
          FROM observations
          WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND compared_arms = 0
            AND stage IN (0, 2)
            AND num_rel > 0 AND late = 0 AND (covered > 0 OR exhausted
              OR (first_rank = 1 AND num_ret = 0 AND known_depth > 0))
        )
      ) GROUP BY topic, arm, spool, visit
    ) WHERE (seen >= {cutoff:UInt32} OR is_ended) AND (notEmpty(pages) OR start > 0)
  ) GROUP BY topic, arm
) GROUP BY slice, arm ORDER BY slice, arm

-- [pairs] By topic, over its complete pairs: the visits that every compared arm ranked.
SELECT topic, any(num_rel) AS relevant, count() AS pairs, sum(ka) AS found_a, sum(kb) AS found_b,
  sum(ca) AS credit_a, sum(cb) AS credit_b,
  credit_a / (pairs * relevant * {cutoff:UInt32}) AS pres_a,
  credit_b / (pairs * relevant * {cutoff:UInt32}) AS pres_b,
  arraySum(arraySort(groupArray(pa))) / pairs AS ap_a,
  arraySum(arraySort(groupArray(pb))) / pairs AS ap_b
FROM (
  SELECT any(topic0) AS topic, any(n) AS num_rel, spool, any(server0) AS server,
    max(order0) AS order_ms, max(first_seq) AS last_seq,
    sumIf(k, arm = {a:String}) AS ka, sumIf(c, arm = {a:String}) AS ca,
    sumIf(p, arm = {a:String}) AS pa, sumIf(k, arm = {b:String}) AS kb,
    sumIf(c, arm = {b:String}) AS cb, sumIf(p, arm = {b:String}) AS pb
  FROM (
    SELECT spool, visit, arm, any(topic) AS topic0, any(num_rel) AS n, any(server) AS server0,
      min(seq) AS first_seq, argMin(order_ms, seq) AS order0, argMax(k0, place) AS k,
      argMax(c0, place) AS c, argMax(p0, place) AS p, argMax(has_value, place) AS is_scored,
      argMax(generation, place) AS state, max(compared_arms) AS expected
    FROM (
      SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms, num_rel,
        failed OR exhausted OR known_depth >= {cutoff:UInt32} AS has_value,
        if(compared_arms = 0 AND covered = num_ret AND NOT failed AND NOT unseen, toInt64(seq),
          -toInt64(seq)) AS place,
        arrayFilter((r, g) -> r <= {cutoff:UInt32} AND g > (
          SELECT argMax(min_grade, made_ms) - 0.5 FROM epochs
          WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
        ), ranks, grades) AS f, length(f) AS k0,
        k0 * {cutoff:UInt32} + intDiv(k0 * (k0 + 1), 2) - arraySum(f) AS c0,
        arraySum((j, r) -> j / r, arrayEnumerate(f), f) / num_rel AS p0
      FROM (
        SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms, num_rel,
          failed, unseen, known_depth, covered, num_ret, exhausted, ranks, grades
        FROM observations
        WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND num_rel > 0
          AND stage IN (0, 2)
          AND late = 0 AND first_rank = 1 AND (compared_arms = 0 OR NOT unseen)
          AND (compared_arms > 0 OR 'not compared' = (
            SELECT argMax(shadow_latency, made_ms) FROM epochs
            WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}))
      )
    ) GROUP BY spool, visit, arm
  ) GROUP BY spool, visit
  HAVING max(expected) > 0 AND count() >= max(expected) AND min(is_scored) = 1
    AND countIf(arm = {a:String}) > 0 AND countIf(arm = {b:String}) > 0
    AND uniqExactIf(state, state != 0) = uniqExactIf(bitShiftRight(state, 32), state != 0)
) GROUP BY topic ORDER BY topic

-- [differences] b - a by slice and measure, with wins, ties and losses of b: means over topics, and
-- for a topic over its complete pairs. Differences are rounded to 1e-12, so that a tie is a tie.
SELECT slice, measure, count() AS topics, sum(pairs) AS all_pairs,
  arraySum(arraySort(groupArray(in_a))) / topics AS mean_a,
  arraySum(arraySort(groupArray(in_b))) / topics AS mean_b,
  arraySum(arraySort(groupArray(d))) / topics AS mean_difference,
  arraySum(arraySort(groupArray(d * d))) AS sum_of_squares,
  countIf(d > 0) AS wins, countIf(d = 0) AS ties, countIf(d < 0) AS losses
FROM (
  SELECT transform(topic, {topics:Array(String)}, {slices:Array(String)}, '') AS slice,
    pairs, measure, in_a, in_b, round((in_b - in_a) * 1e12) / 1e12 AS d
  FROM (
    SELECT topic, count() AS pairs, any(num_rel) AS n,
      [sum(ca) / (pairs * n * {cutoff:UInt32}), sum(ka) / (pairs * n),
        arraySum(arraySort(groupArray(pa))) / pairs] AS of_a,
      [sum(cb) / (pairs * n * {cutoff:UInt32}), sum(kb) / (pairs * n),
        arraySum(arraySort(groupArray(pb))) / pairs] AS of_b
    FROM (
      SELECT any(topic0) AS topic, any(n) AS num_rel, spool, any(server0) AS server,
        max(order0) AS order_ms, max(first_seq) AS last_seq,
        sumIf(k, arm = {a:String}) AS ka, sumIf(c, arm = {a:String}) AS ca,
        sumIf(p, arm = {a:String}) AS pa, sumIf(k, arm = {b:String}) AS kb,
        sumIf(c, arm = {b:String}) AS cb, sumIf(p, arm = {b:String}) AS pb
      FROM (
        SELECT spool, visit, arm, any(topic) AS topic0, any(num_rel) AS n, any(server) AS server0,
          min(seq) AS first_seq, argMin(order_ms, seq) AS order0, argMax(k0, place) AS k,
          argMax(c0, place) AS c, argMax(p0, place) AS p, argMax(has_value, place) AS is_scored,
          argMax(generation, place) AS state, max(compared_arms) AS expected
        FROM (
          SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms,
            num_rel,
            failed OR exhausted OR known_depth >= {cutoff:UInt32} AS has_value,
            if(compared_arms = 0 AND covered = num_ret AND NOT failed AND NOT unseen, toInt64(seq),
              -toInt64(seq)) AS place,
            arrayFilter((r, g) -> r <= {cutoff:UInt32} AND g > (
              SELECT argMax(min_grade, made_ms) - 0.5 FROM epochs
              WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
            ), ranks, grades) AS f, length(f) AS k0,
            k0 * {cutoff:UInt32} + intDiv(k0 * (k0 + 1), 2) - arraySum(f) AS c0,
            arraySum((j, r) -> j / r, arrayEnumerate(f), f) / num_rel AS p0
          FROM (
            SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms,
              num_rel, failed, unseen, known_depth, covered, num_ret, exhausted, ranks, grades
            FROM observations
            WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND num_rel > 0
              AND stage IN (0, 2)
              AND late = 0 AND first_rank = 1 AND (compared_arms = 0 OR NOT unseen)
              AND (compared_arms > 0 OR 'not compared' = (
                SELECT argMax(shadow_latency, made_ms) FROM epochs
                WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}))
          )
        ) GROUP BY spool, visit, arm
      ) GROUP BY spool, visit
      HAVING max(expected) > 0 AND count() >= max(expected) AND min(is_scored) = 1
        AND countIf(arm = {a:String}) > 0 AND countIf(arm = {b:String}) > 0
        AND uniqExactIf(state, state != 0) = uniqExactIf(bitShiftRight(state, 32), state != 0)
    ) GROUP BY topic
  ) ARRAY JOIN ['PRES', 'R', 'AP'] AS measure, of_a AS in_a, of_b AS in_b
) GROUP BY slice, measure ORDER BY slice, indexOf(['PRES', 'R', 'AP'], measure)

-- [first_pairs] The evidence of b - a by slice and measure, by each topic's first complete pair in
-- the order of time. Visits that one arm failed to answer, or that it alone sorted or filtered, are
-- missing here. The program's verdicts have bounds for these visits, and checks that can void a
-- verdict: `prescope log --summary`. A ranking that does not reach the cutoff is known between two
-- bounds: nothing follows it, or everything else that is relevant does. low and high are the means
-- if all bounded topics are as bad for b as they can be, and as good; the mean difference is in the
-- middle.
SELECT slice, measure, count() AS topics, countIf(l < h) AS bounded_topics,
  (low + high) / 2 AS mean_difference, arraySum(arraySort(groupArray(l))) / topics AS low,
  arraySum(arraySort(groupArray(h))) / topics AS high,
  arraySum(arraySort(groupArray(l * l))) AS squares_of_low,
  arraySum(arraySort(groupArray(h * h))) AS squares_of_high
FROM (
  SELECT transform(topic, {topics:Array(String)}, {slices:Array(String)}, '') AS slice, measure,
    round((in_b.1 - in_a.2) * 1e12) / 1e12 AS l, round((in_b.2 - in_a.1) * 1e12) / 1e12 AS h
  FROM (
    SELECT topic, of_a, of_b
    FROM (
      SELECT any(topic0) AS topic, spool, any(server0) AS server, max(order0) AS order_ms,
        max(first_seq) AS last_seq, anyIf(ones, arm = {a:String}) AS of_a,
        anyIf(ones, arm = {b:String}) AS of_b
      FROM (
        SELECT spool, visit, arm, any(topic) AS topic0, any(server) AS server0,
          min(seq) AS first_seq, argMin(order_ms, seq) AS order0,
          argMax(values, place) AS ones, argMax(is_scored0, place) AS is_scored,
          argMax(generation, place) AS state, max(compared_arms) AS expected
        FROM (
          SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms,
            failed OR unseen OR exhausted OR known_depth > 0 AS is_scored0,
            if(compared_arms = 0 AND covered = num_ret AND NOT failed AND NOT unseen, toInt64(seq),
              -toInt64(seq)) AS place,
            failed OR exhausted OR known_depth >= {cutoff:UInt32} AS is_known,
            arrayFilter((r, g) -> g > (
              SELECT argMax(min_grade, made_ms) - 0.5 FROM epochs
              WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
            ), ranks, grades) AS found,
            arrayFilter(r -> r <= {cutoff:UInt32}, found) AS f,
            arrayFilter(r -> r <= {cutoff:UInt32}, arrayConcat(found, arrayMap(
              i -> toUInt32(num_ret + 1 + i), range(toUInt32(if(is_known, 0,
                num_rel - length(found))))))) AS best,
            length(f) AS kf, length(best) AS kg,
            kf * {cutoff:UInt32} + intDiv(kf * (kf + 1), 2) - arraySum(f) AS cf,
            kg * {cutoff:UInt32} + intDiv(kg * (kg + 1), 2) - arraySum(best) AS cg,
            [(cf / (num_rel * {cutoff:UInt32}), cg / (num_rel * {cutoff:UInt32})),
              (kf / num_rel, kg / num_rel),
              (arraySum((j, r) -> j / r, arrayEnumerate(f), f) / num_rel,
                arraySum((j, r) -> j / r, arrayEnumerate(best), best) / num_rel)] AS values
          FROM (
            SELECT spool, visit, arm, topic, server, seq, order_ms, generation, compared_arms,
              num_rel, failed, unseen, known_depth, covered, num_ret, exhausted, ranks, grades
            FROM observations
            WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND num_rel > 0
              AND stage IN (0, 2)
              AND late = 0 AND first_rank = 1 AND (compared_arms = 0 OR NOT unseen)
              AND (compared_arms > 0 OR 'not compared' = (
                SELECT argMax(shadow_latency, made_ms) FROM epochs
                WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}))
          )
        ) GROUP BY spool, visit, arm
      ) GROUP BY spool, visit
      HAVING max(expected) > 0 AND count() >= max(expected) AND min(is_scored) = 1
        AND countIf(arm = {a:String}) > 0 AND countIf(arm = {b:String}) > 0
        AND uniqExactIf(state, state != 0) = uniqExactIf(bitShiftRight(state, 32), state != 0)
    ) ORDER BY order_ms, server, spool, last_seq LIMIT 1 BY topic
  ) ARRAY JOIN ['PRES', 'R', 'AP'] AS measure, of_a AS in_a, of_b AS in_b
) GROUP BY slice, measure ORDER BY slice, indexOf(['PRES', 'R', 'AP'], measure)

-- [latency] By arm and interval, in ms. Retried and untimed searches are left out.
-- Failed ones never ended: a quantile may be inf. Unjudged searches count if servers store them.
SELECT arm, toDateTime(begins, 'UTC') AS time, queries, failures,
  ms[1 + toUInt32(0.5 * (queries - 1))] AS p50,
  ms[1 + toUInt32(0.9 * (queries - 1))] AS p90, ms[1 + toUInt32(0.95 * (queries - 1))] AS p95,
  ms[1 + toUInt32(0.99 * (queries - 1))] AS p99
FROM (
  SELECT arm, begins, count() AS queries, countIf(has_failed) AS failures,
    arraySort(groupArray(if(has_failed, inf, ns / 1e6))) AS ms
  FROM (
    SELECT arm, spool, seq, any(latency_ns) AS ns, any(failed) AS has_failed,
      any(intDiv(time_ms, 1000 * {seconds:UInt32}) * {seconds:UInt32}) AS begins
    FROM observations
    WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64}
      AND (compared_arms > 0) = {shadow:UInt8} AND stage IN (0, 2)
      AND (failed OR timed)
    GROUP BY arm, spool, seq
  ) GROUP BY arm, begins
) ORDER BY arm, time

-- [gaps] By store, with the server name that it was last shipped under: the observations that the
-- fleet acknowledged, those of them that are there, rows that were sent twice and are not merged
-- yet, and what the server says of itself.
SELECT max(name) AS server, spool, sum(acked) AS acknowledged, sum(there) AS present,
  acknowledged - present AS missing, sum(twice) AS repeated, max(waits) AS waiting,
  max(lost) AS dropped, max(ms) AS complete_ms, max(is_closed) AS closed
FROM (
  SELECT '' AS name, spool, sum(newest) AS acked, toUInt64(0) AS there, toUInt64(0) AS twice,
    toUInt64(0) AS waits, toUInt64(0) AS lost, toInt64(0) AS ms, toUInt8(0) AS is_closed
  FROM (SELECT spool, epoch, argMax(rows, made_ms) AS newest FROM shipped
    GROUP BY spool, experiment, epoch)
  GROUP BY spool
  UNION ALL
  SELECT '', spool, toUInt64(0), toUInt64(uniqExactIf(seq, seq <= last)),
    toUInt64(count() - uniqExact(seq)), toUInt64(0), toUInt64(0), toInt64(0), toUInt8(0)
  FROM (SELECT spool, seq FROM observations) AS o
  ALL INNER JOIN (SELECT spool, max(up_to) AS last FROM shipped GROUP BY spool) AS s USING (spool)
  GROUP BY spool
  UNION ALL
  SELECT argMax(server, made_ms), spool, toUInt64(0), toUInt64(0), toUInt64(0),
    argMax(waiting, made_ms), argMax(dropped, made_ms), argMax(complete_ms, made_ms),
    argMax(closed, made_ms)
  FROM spools GROUP BY spool
) GROUP BY spool ORDER BY server, spool

-- [gap_ranges] The numbers of a store that are not there, up to its last one. Numbers that were
-- pruned before the first shipping, or given up, were never sent.
SELECT gap.1 AS first, gap.2 AS last, last - first + 1 AS numbers
FROM (SELECT arrayConcat([toUInt64(0)], arraySort(groupUniqArray(seq))) AS there
  FROM observations WHERE spool = {spool:UInt64})
ARRAY JOIN arrayFilter(g -> g.1 <= g.2, arrayMap((x, y) -> (x + 1, toUInt64(y - 1)),
  arrayPopBack(there), arrayPopFront(there))) AS gap
ORDER BY first

-- [rejudged] [measures] of the epoch by other judgements: a withdrawn citation, another grade, a
-- citation of a document that was judged already. [waiting] lists the topics that are left out.
SELECT topic, arm, any(n) AS num_rel, count() AS visits, sum(k) AS found, sum(c) AS credit,
  credit / (visits * num_rel * {cutoff:UInt32}) AS pres, found / (visits * num_rel) AS recall,
  arraySum(arraySort(groupArray(a))) / visits AS ap
FROM (
  SELECT topic, arm, n, arrayMap(h -> h.1, arrayFilter((h, i) -> i = 1, hits,
      arrayEnumerateUniq(arrayMap(h -> h.2, hits)))) AS f,
    length(f) AS k, k * {cutoff:UInt32} + intDiv(k * (k + 1), 2) - arraySum(f) AS c,
    arraySum((j, r) -> j / r, arrayEnumerate(f), f) / n AS a
  FROM (
    SELECT topic, arm, any(num_rel) AS n, max(first_page) AS start,
      arrayFilter(r -> r.1 >= start, groupArray(
        (seq, known_depth, exhausted AND NOT failed, failed))) AS rankings,
      arrayReduce('max', arrayMap(r -> r.2, rankings)) AS seen,
      arrayReduce('max', arrayMap(r -> r.3, rankings))
        OR arrayReduce('min', arrayMap(r -> r.4, rankings)) AS is_ended,
      arrayFilter(p -> p.1 >= start, arraySort(groupUniqArray((seq, covered)))) AS pages,
      arraySort(arrayMap(h -> (h.2, h.3), arrayFilter(
        h -> h.1 = arrayFirst(p -> p.2 >= h.2, pages).1, groupArrayArray(found_hits)))) AS hits
    FROM (
      SELECT topic, arm, spool, visit, seq, covered, exhausted, failed, known_depth, first_page,
        num_rel,
        arrayMap(h -> (seq, h.1, h.2), arrayFilter(h -> h.1 <= {cutoff:UInt32} AND now[h.2 + 1],
          arrayMap((r, p) -> (r, p), ranks, positions))) AS found_hits
      FROM (
        SELECT topic, arm, spool, visit, seq, covered, exhausted, ranks, positions,
          if(first_rank = 1 AND covered = num_ret, seq, 0) AS first_page,
          failed, known_depth
        FROM observations
        WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64} AND compared_arms = 0
          AND stage IN (0, 2)
          AND topic != '' AND late = 0 AND (covered > 0 OR exhausted
            OR (first_rank = 1 AND num_ret = 0 AND known_depth > 0))
      ) AS o ALL INNER JOIN (
        SELECT topic, arrayMap(d -> has(relevant_docs, d), known) AS now,
          length(relevant_docs) AS num_rel
        FROM (
          SELECT topic, anyIf(docs, version = {version:UInt64}) AS docs_now,
            arrayFilter((d, x) -> x, docs_now, anyIf(relevant, version = {version:UInt64}))
              AS relevant_docs,
            anyIf(docs, version = (SELECT argMax(judgements, made_ms) FROM epochs
              WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64})) AS known
          FROM (SELECT topic, version, docs, relevant FROM judgements
            WHERE experiment = {experiment:String}) GROUP BY topic
        ) WHERE notEmpty(relevant_docs) AND hasAll(known, relevant_docs)
      ) AS j USING topic WHERE notEmpty(now)
    ) GROUP BY topic, arm, spool, visit
  ) WHERE (seen >= {cutoff:UInt32} OR is_ended) AND (notEmpty(pages) OR start > 0)
) GROUP BY topic, arm ORDER BY topic, arm

-- [waiting] The topics with relevant documents that the epoch's judgements did not have: nobody
-- looked where they stood, so that these topics wait for another visit.
SELECT topic, length(arrayFilter(d -> NOT has(known, d), relevant_docs)) AS unknown
FROM (
  SELECT topic, anyIf(docs, version = {version:UInt64}) AS docs_now,
    arrayFilter((d, x) -> x, docs_now, anyIf(relevant, version = {version:UInt64}))
      AS relevant_docs,
    anyIf(docs, version = (SELECT argMax(judgements, made_ms) FROM epochs
      WHERE experiment = {experiment:String} AND epoch = {epoch:UInt64})) AS known
  FROM (SELECT topic, version, docs, relevant FROM judgements
    WHERE experiment = {experiment:String}) GROUP BY topic
) WHERE NOT hasAll(known, relevant_docs) ORDER BY topic
