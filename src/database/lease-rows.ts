import type pg from 'pg';

/** A migration of the schema `runtime`: creates the table of leases. */
export const LEASE_DDL = `
  CREATE TABLE runtime.leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    expires_at timestamptz NOT NULL
  );`;

/** No lease lasts longer without renewal. */
const LONGEST_TTL_MS = 60_000;
/** Whether a lease has a holder. One that ends later than any lease lasts has none: the database's clock was set back. */
export const IS_HELD = `expires_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '${LONGEST_TTL_MS} milliseconds'`;

/** The name of a lease of a share: `<share>/<rest>`. The name of a share has no slash. */
const PREFIX = `split_part(name, '/', 1)`;

export function partLease(share: string, part: number): string {
  return `${share}/${part}`;
}

export function memberLease(share: string, holder: string, standBy: boolean): string {
  return `${share}/${standBy ? 'stand-by' : 'member'} ${holder}`;
}

/** The holders of a share's leases, except the asker. */
export interface OthersOfShare {
  readonly members: readonly string[];
  /** Members that count only while there are no others. */
  readonly standBys: readonly string[];
  readonly taken: ReadonlySet<number>;
  /** Whether a holder has the lease of the whole, as programs of a release that did not share it. */
  readonly isHeldWhole: boolean;
}

/** Whether the lease has a holder. */
export async function isHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(`SELECT FROM runtime.leases WHERE name = $1 AND ${IS_HELD}`, [name]);
  return rowCount === 1;
}

/**
 * Whether the whole of one of the shares, or anything below it but a membership, has a holder.
 * @param except a holder that does not count
 */
export async function isAnyHeld(pool: pg.Pool, shares: readonly string[], except = ''): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM runtime.leases WHERE ${PREFIX} = ANY ($1::text[]) AND name !~ '/(member|stand-by) ' AND holder <> $2
      AND ${IS_HELD} LIMIT 1`,
    [shares, except],
  );
  return rowCount === 1;
}

export interface Taken {
  /** The leases that the holder has now, of those it asked for. */
  readonly names: ReadonlySet<string>;
  /** By share: its other holders, just before. */
  readonly others: ReadonlyMap<string, OthersOfShare>;
}

/**
 * Takes or renews leases, and reads who else holds leases of these shares. A crash of the database may lose the renewal:
 * then others may take the leases sooner, as after a holder's death.
 */
export async function takeLeases(
  pool: pg.Pool,
  names: readonly string[],
  holder: string,
  ttlMs: number,
  shares: readonly string[] = [],
): Promise<Taken> {
  const { rows } = await pool.query<{ name: string; holder: string }>({
    name: 'lease.take',
    text: `
      WITH taken AS (
        INSERT INTO runtime.leases AS l (name, holder, expires_at)
        SELECT name, $2, clock_timestamp() + $3 * interval '1 millisecond'
          FROM unnest($1::text[]) AS name, set_config('synchronous_commit', 'off', true)
         ORDER BY name
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE l.holder = excluded.holder OR NOT (l.${IS_HELD})
        RETURNING name, holder)
      SELECT name, holder FROM taken
      UNION ALL
      SELECT name, holder FROM runtime.leases
       WHERE ${PREFIX} = ANY ($4::text[]) AND holder <> $2 AND ${IS_HELD}`,
    values: [names, holder, ttlMs, shares],
  });
  const own = rows.filter((row) => row.holder === holder);
  return {
    names: new Set(own.map(({ name }) => name)),
    others: new Map(shares.map((share) => [share, othersOf(share, rows, holder)])),
  };
}

function othersOf(share: string, rows: readonly { name: string; holder: string }[], self: string): OthersOfShare {
  const members: string[] = [];
  const standBys: string[] = [];
  const taken = new Set<number>();
  let isHeldWhole = false;
  for (const { name, holder } of rows) {
    if (holder === self) continue;
    if (name === share) isHeldWhole = true;
    if (!name.startsWith(`${share}/`)) continue;
    const rest = name.slice(share.length + 1);
    if (name === memberLease(share, holder, false)) members.push(holder);
    else if (name === memberLease(share, holder, true)) standBys.push(holder);
    else if (/^\d+$/.test(rest)) taken.add(Number(rest));
  }
  return { members, standBys, taken, isHeldWhole };
}

export async function giveBackLeases(pool: pg.Pool, names: readonly string[], holder: string): Promise<void> {
  await pool.query('DELETE FROM runtime.leases WHERE name = ANY ($1) AND holder = $2', [names, holder]);
}

/** Removes all leases of shares in which no holder works, also those of killed members. */
export async function removeShares(tx: pg.ClientBase, shares: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM runtime.leases WHERE ${PREFIX} = ANY ($1::text[])`, [shares]);
}
