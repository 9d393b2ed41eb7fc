import type pg from 'pg';

/** UTM labels that visits of a bot had, by their part, each with the most visits first; of as many, by code points. */
export interface UtmLabels {
  readonly sources: readonly string[];
  readonly mediums: readonly string[];
  readonly campaigns: readonly string[];
  readonly terms: readonly string[];
  readonly contents: readonly string[];
}

/**
 * `events` is the schema of the events' read model. Visits are counted, not the events that carry their labels: there are
 * a hundredth as many, and a label counts where it was used.
 */
export async function utmLabels(
  { pool, events }: { readonly pool: pg.Pool; readonly events: string },
  botId: number,
): Promise<UtmLabels> {
  const { rows } = await pool.query<{ part: keyof UtmLabels; label: string }>(
    `SELECT l.part, l.label
       FROM (SELECT utm_id, count(*) AS uses FROM ${events}.visits
              WHERE bot_id = $1 AND utm_id IS NOT NULL GROUP BY utm_id) AS v
       JOIN ${events}.utms AS u ON u.bot_id = $1 AND u.utm_id = v.utm_id
      CROSS JOIN LATERAL (VALUES ('sources', u.source), ('mediums', u.medium), ('campaigns', u.campaign),
                                 ('terms', u.term), ('contents', u.content)) AS l (part, label)
      WHERE l.label IS NOT NULL
      GROUP BY l.part, l.label
      ORDER BY sum(v.uses) DESC, l.label COLLATE "C"`,
    [botId],
  );
  const of = (part: keyof UtmLabels): string[] => rows.filter((row) => row.part === part).map(({ label }) => label);
  return {
    sources: of('sources'),
    mediums: of('mediums'),
    campaigns: of('campaigns'),
    terms: of('terms'),
    contents: of('contents'),
  };
}
