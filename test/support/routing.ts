import pg from 'pg';
import { expect, vi } from 'vitest';
import { inTransaction } from '../../src/database/transaction.ts';

/** A statement as it was sent. */
export interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs `work` and returns the statements that this program sent until its end, each text once. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  const original = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [query, values] = args as [string | pg.QueryConfig, unknown[] | undefined];
    const text = typeof query === 'string' ? query : query.text;
    // A COPY is a stream and has no text; its rows go by their bot.
    if (typeof text === 'string')
      sent.set(text, { text, values: (typeof query === 'string' ? values : query.values) ?? values ?? [] });
    return Reflect.apply(original, this, args) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...sent.values()];
}

/** As pg sends it: an array as the text of one. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return `(${value})`; // PostgreSQL cannot guess the type of texts that are added
  return pg.escapeLiteral(Array.isArray(value) ? arrayText(value) : String(value));
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : JSON.stringify(String(value)))).join()}}`;
}

/**
 * Expects that one node, or the coordinator, runs each of the statements.
 * @param schema where names without a schema are
 */
export async function expectOneNodeEach(pool: pg.Pool, schema: string, sent: readonly Sent[]): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(`SET LOCAL search_path TO ${schema}`);
    const planned: { text: string; tasks: number[] }[] = [];
    for (const statement of sent) planned.push({ text: statement.text, tasks: await tasksOf(tx, statement) });
    expect(planned.filter(({ tasks }) => tasks.length > 0)).not.toEqual([]);
    expect(planned.filter(({ tasks }) => tasks.some((count) => count > 1))).toEqual([]);
  });
}

const EXPLAINED = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i;

/** The numbers of tasks that the plan of a statement has, one for each of its parts; empty: it reads no table that Citus knows. */
async function tasksOf(tx: pg.ClientBase, { text, values }: Sent): Promise<number[]> {
  if (!EXPLAINED.test(text)) return [];
  // Citus cannot explain each statement that it can run with parameters.
  const literal = text.replaceAll(/\$(\d+)/g, (_, number: string) => literalOf(values[Number(number) - 1]));
  const { rows } = await tx
    .query<{ 'QUERY PLAN': string }>(`EXPLAIN ${literal}`)
    .catch((cause: unknown) => Promise.reject(new Error(`no plan for ${literal}`, { cause })));
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  return [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
}
