import type { Tables } from '../../database/tables.ts';

/** A link of a launch, as click tokens number it. */
export interface AskedLink {
  readonly launch: number;
  readonly link: number;
  /** The index of its variant; null: the broadcast has none. */
  readonly variant: number | null;
}

export interface ClickCounts {
  /** Recipients with a click. */
  readonly clicked: number;
  readonly clicks: number;
}

export interface CountedClicks {
  readonly total: ClickCounts;
  ofVariant(variant: number): ClickCounts;
  ofLink(link: Pick<AskedLink, 'launch' | 'link'>): ClickCounts;
}

interface Row extends ClickCounts {
  readonly launch: number | null;
  readonly link: number | null;
  readonly variant: number | null;
  /** A bit for each column that the row is summed over: launch and link 6, variant 1. */
  readonly over: number;
}

const NO_CLICKS: ClickCounts = { clicked: 0, clicks: 0 };

/** Counts clicks of a broadcast in one statement. @param clicks schema of the read model */
export async function countClicks(
  { pool, clicks }: Tables<'clicks'>,
  { botId, broadcastId }: { readonly botId: number; readonly broadcastId: number },
  links: readonly AskedLink[],
): Promise<CountedClicks> {
  const { rows } = await pool.query<Row>(
    `SELECT launch, link, variant, grouping(launch, link, variant) AS over,
            count(DISTINCT place)::int AS clicked, sum(clicks)::int AS clicks
       FROM ${clicks}.clicks JOIN unnest($3::int[], $4::int[], $5::int[]) AS asked (launch, link, variant) USING (launch, link)
      WHERE bot_id = $1 AND broadcast_id = $2
      GROUP BY GROUPING SETS ((launch, link), (variant), ())`,
    [
      botId,
      broadcastId,
      links.map(({ launch }) => launch),
      links.map(({ link }) => link),
      links.map(({ variant }) => variant),
    ],
  );
  const found = (over: number, so: (row: Row) => boolean): ClickCounts => {
    const row = rows.find((one) => one.over === over && so(one));
    return row === undefined || row.clicks === null ? NO_CLICKS : { clicked: row.clicked, clicks: row.clicks };
  };
  return {
    total: found(7, () => true),
    ofVariant: (variant) => found(6, (row) => row.variant === variant),
    ofLink: (asked) => found(1, ({ launch, link }) => launch === asked.launch && link === asked.link),
  };
}
