/**
 * `log.append`: appends a group of commits in one statement, one transaction, one round trip.
 *
 * Per key (a bot) it takes an advisory lock **before** the transaction id is assigned and before any head is read:
 * with the id first and the revision after, 4 of 78,758 events of a hot stream came out inverted; lock first: none.
 * It also makes `seq` follow the readers' order within a bot, which is what `ordinal` promises. Keys are locked in
 * ascending order, so that two groups cannot deadlock. Under READ COMMITTED each statement below takes its own
 * snapshot, so what other writers committed before the lock was granted is seen.
 *
 * The bodies come as one `bytea` with their lengths: as a `text[]` each quote of their JSON would be escaped on one side
 * and unescaped on the other.
 *
 * Answers one row per commit: what became of it (`appended`, `repeated`, `conflict`), its place, and for a repeat the
 * commit that was there before with its place, for a conflict the revision that the stream is at.
 */
export const APPEND_FUNCTION = `
CREATE FUNCTION log.append(
  ids uuid[], streams text[], keys text[], revisions integer[], prevs text[], hashes text[],
  command_ids uuid[], ats bigint[], lengths integer[], bodies bytea, memory_ms bigint
) RETURNS TABLE (n integer, outcome text, txid xid8, seq bigint, revision integer, body text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Where the body of the commit at hand ends in \`bodies\`.
  start integer := 0;
  head record;
  known record;
  first uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(k)
    FROM (SELECT DISTINCT hashtextextended(key, 0) AS k FROM unnest(keys) AS key ORDER BY 1) AS locks;

  -- Intake: neither head nor command to look at, so all of it goes in at once; a commit id seen before is left alone.
  RETURN QUERY
    WITH given AS (
      SELECT g.n::integer AS n, g.id, g.stream, g.revision, g.command_id, g.length,
             (sum(g.length) OVER (ORDER BY g.n) - g.length)::integer AS start
      FROM unnest(ids, streams, lengths, revisions, command_ids) WITH ORDINALITY AS g(id, stream, length, revision, command_id, n)
    ), intake AS (
      SELECT n, id, stream, convert_from(substring(bodies FROM start + 1 FOR length), 'UTF8') AS body
      FROM given WHERE revision IS NULL AND command_id IS NULL
    ), added AS (
      INSERT INTO log.commits (id, stream, body) SELECT id, stream, body FROM intake ORDER BY n
      ON CONFLICT (id) DO NOTHING
      RETURNING id, txid, seq
    )
    SELECT intake.n, CASE WHEN added.id IS NULL THEN 'repeated' ELSE 'appended' END,
           coalesce(added.txid, c.txid), coalesce(added.seq, c.seq), NULL::integer, c.body
    FROM intake LEFT JOIN added ON added.id = intake.id
         -- The limit keeps it a look-up for each: a join might be planned over the whole log.
         LEFT JOIN LATERAL (
           SELECT c.txid, c.seq, c.body FROM log.commits AS c WHERE added.id IS NULL AND c.id = intake.id LIMIT 1
         ) AS c ON true;

  FOR i IN 1 .. coalesce(array_length(ids, 1), 0) LOOP
    start := start + lengths[i];
    CONTINUE WHEN revisions[i] IS NULL AND command_ids[i] IS NULL;
    n := i;
    txid := NULL; seq := NULL; revision := NULL; body := NULL;

    SELECT c.commit_id, c.at, c.exact INTO known FROM log.commands AS c WHERE c.id = command_ids[i];
    IF FOUND AND (known.exact OR known.at > ats[i] - memory_ms) THEN
      first := known.commit_id;
    ELSE
      first := ids[i];
    END IF;
    SELECT c.txid, c.seq, c.body INTO txid, seq, body FROM log.commits AS c WHERE c.id = first;
    IF FOUND THEN
      outcome := 'repeated';
      RETURN NEXT; CONTINUE;
    END IF;

    IF revisions[i] IS NOT NULL THEN
      SELECT s.revision, s.hash INTO head FROM log.streams AS s WHERE s.stream = streams[i];
      IF coalesce(head.revision, 0) <> revisions[i] - 1 OR coalesce(head.hash, '') <> prevs[i] THEN
        outcome := 'conflict'; revision := coalesce(head.revision, 0);
        RETURN NEXT; CONTINUE;
      END IF;
      INSERT INTO log.streams AS s (stream, revision, hash) VALUES (streams[i], revisions[i], hashes[i])
        ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash;
    END IF;

    INSERT INTO log.commits AS c (id, stream, revision, body) VALUES
        (ids[i], streams[i], revisions[i],
         convert_from(substring(bodies FROM start - lengths[i] + 1 FOR lengths[i]), 'UTF8'))
      RETURNING c.txid, c.seq INTO txid, seq;
    IF command_ids[i] IS NOT NULL THEN
      INSERT INTO log.commands AS c (id, commit_id, at, exact)
        VALUES (command_ids[i], ids[i], ats[i], revisions[i] IS NOT NULL)
        ON CONFLICT (id) DO UPDATE SET commit_id = excluded.commit_id, at = excluded.at, exact = excluded.exact;
    END IF;
    outcome := 'appended'; revision := revisions[i];
    RETURN NEXT;
  END LOOP;
END $$;`;
