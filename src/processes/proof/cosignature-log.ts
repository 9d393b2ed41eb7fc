import { untilCertain } from '../../commands/decide-and-append.ts';
import { checkpointCosigned } from '../../domain/operations/checkpoint-events.ts';
import { COSIGNATURES_STREAM } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, type RecordedCommit, type StreamHead } from '../../log/port.ts';
import { type NoteSignature, signatureLine } from '../../proof/signed-note.ts';
import { hasQuorum, type WitnessPolicy } from '../../proof/witness-policy.ts';
import type { ProcessContext } from '../process.ts';

type Context = Pick<ProcessContext, 'log' | 'pool' | 'sources'>;

/** Copies the cosignatures of the log into the database. */
export async function loadCosignatures({ log, pool }: Omit<Context, 'sources'>): Promise<StreamHead> {
  const known = await pool.query<{ revision: string; hash: string }>(
    'SELECT revision, hash FROM proof.cosignatures ORDER BY revision DESC LIMIT 1',
  );
  const row = known.rows[0];
  const from = row === undefined ? EMPTY_STREAM : { revision: Number(row.revision), hash: row.hash };
  const { head, commits } = await log.read(COSIGNATURES_STREAM, from);
  for (const commit of commits) await saveCosignatures({ pool }, commit);
  return head;
}

type Saved = Pick<RecordedCommit, 'revision' | 'hash' | 'at' | 'events'>;

async function saveCosignatures({ pool }: Pick<Context, 'pool'>, { revision, hash, at, events }: Saved): Promise<void> {
  const { size, lines } = checkpointCosigned.read(events[0]!).data;
  await pool.query(
    `INSERT INTO proof.cosignatures (revision, size, lines, at, hash) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (revision) DO NOTHING`,
    [revision, size, lines, at, hash],
  );
}

/** Appends cosignatures, one after the other. */
export class CosignatureLog {
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly context: Context,
    private readonly policy: WitnessPolicy,
    private head: StreamHead,
  ) {}

  static async open(context: Context, policy: WitnessPolicy): Promise<CosignatureLog> {
    const opened = new CosignatureLog(context, policy, await loadCosignatures(context));
    await context.pool.query('UPDATE proof.state SET asks_quorum = $1', [policy.isQuorum !== null]);
    await opened.#findQuorum();
    return opened;
  }

  append(size: number, cosignature: NoteSignature): Promise<void> {
    const appended = this.#turn.then(() => this.#append(size, signatureLine(cosignature)));
    this.#turn = appended.catch(() => {}); // its caller gets the error
    return appended;
  }

  async #append(size: number, lines: string): Promise<void> {
    const { log, pool, sources } = this.context;
    const events = [checkpointCosigned.create({ size, lines })];
    const commit = { id: sources.uuid(), stream: COSIGNATURES_STREAM, at: sources.now(), events };
    const appended = await untilCertain(() => log.append({ ...commit, expected: this.head })).catch(
      async (error: unknown) => {
        // Another instance has appended: the cosignature is worth as much after its commit.
        if (!(error instanceof ConflictError)) throw error;
        this.head = await loadCosignatures(this.context);
        return untilCertain(() => log.append({ ...commit, expected: this.head }));
      },
    );
    this.head = appended.head!;
    await saveCosignatures({ pool }, { ...commit, ...this.head });
    await this.#findQuorum();
  }

  /** Saves, for the metrics, the last checkpoint that the quorum of the policy has cosigned, among the last thousand. */
  async #findQuorum(): Promise<void> {
    const { pool } = this.context;
    const { rows } = await pool.query<{ size: string; note: string; at: string }>(
      `SELECT size, note || string_agg(lines, '' ORDER BY revision) AS note, max(at) AS at
         FROM proof.cosignatures JOIN proof.checkpoints ON n = size - 1
        WHERE size > greatest((SELECT quorum_size FROM proof.state), (SELECT max(n) - 1000 FROM proof.checkpoints))
          AND note IS NOT NULL
        GROUP BY size, note ORDER BY size DESC`,
    );
    const found = rows.find(({ note }) => hasQuorum(this.policy, note));
    if (found !== undefined)
      await pool.query('UPDATE proof.state SET quorum_size = $1, quorum_at = $2', [found.size, found.at]);
  }
}
