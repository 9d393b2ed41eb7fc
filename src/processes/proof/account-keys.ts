import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { isOfAccount } from '../../domain/streams.ts';
import type { CommitDigest } from '../../log/port.ts';
import { NO_KEY } from '../../proof/leaf.ts';
import type { Vrf } from '../../proof/vrf.ts';
import { pause } from '../../util/pause.ts';

interface Account {
  readonly key: Uint8Array;
  revision: number;
  leaves: number;
}

/** About 300 bytes each. */
const MAX_KNOWN = 50_000;
/** Keys that are computed before other work of the thread gets its turn: about 10 ms. */
const KEYS_A_TURN = 8;

/** The accounts of the leaves: their keys, and how far the leaves go. */
export class AccountKeys {
  /** Accounts that have leaves since the last {@link save}. */
  readonly #changed = new Map<string, Account>();
  readonly #known = new LRUCache<string, Account>({ max: MAX_KNOWN });

  constructor(
    private readonly pool: pg.Pool,
    private readonly vrf: Vrf,
  ) {}

  /** Loads or makes the accounts of these streams. Call it before {@link take}. */
  async prepare(streams: Iterable<string>): Promise<void> {
    const missing = new Set<string>();
    for (const stream of streams)
      if (isOfAccount(stream) && !this.#changed.has(stream)) {
        const known = this.#known.get(stream);
        if (known === undefined) missing.add(stream);
        else this.#changed.set(stream, known);
      }
    if (missing.size === 0) return;
    const { rows } = await this.pool.query<{ stream: string; key: Uint8Array; revision: string; leaves: string }>({
      name: 'proof_accounts',
      text: 'SELECT stream, key, revision, leaves FROM proof.accounts WHERE stream = ANY ($1)',
      values: [[...missing]],
    });
    for (const { stream, key, revision, leaves } of rows) {
      this.#changed.set(stream, { key, revision: Number(revision), leaves: Number(leaves) });
      missing.delete(stream);
    }
    let made = 0;
    for (const stream of missing) {
      if (++made % KEYS_A_TURN === 0) await pause(0);
      this.#changed.set(stream, { key: this.vrf.output(stream).subarray(0, 32), revision: 0, leaves: 0 });
    }
  }

  /** Counts a commit. @returns the key of its leaf */
  take({ stream, revision }: CommitDigest): Uint8Array {
    const account = this.#changed.get(stream);
    if (account === undefined) return NO_KEY;
    account.leaves++;
    account.revision = revision ?? 0;
    return account.key;
  }

  /** Saves the accounts that have changed, as not yet in the map. */
  async save(tx: pg.ClientBase): Promise<void> {
    const all = [...this.#changed];
    if (all.length === 0) return;
    await tx.query({
      name: 'proof_save_accounts',
      text: `INSERT INTO proof.accounts (stream, key, revision, leaves, is_mapped)
             SELECT *, false FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bigint[])
             ON CONFLICT (stream) DO UPDATE
               SET revision = excluded.revision, leaves = excluded.leaves, is_mapped = false`,
      values: [
        all.map(([stream]) => stream),
        all.map(([, { key }]) => key),
        all.map(([, { revision }]) => revision),
        all.map(([, { leaves }]) => leaves),
      ],
    });
    for (const [stream, account] of all) this.#known.set(stream, account);
    this.#changed.clear();
  }
}
