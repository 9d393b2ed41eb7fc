import {
  AuthenticationError,
  BotledgerError,
  ConflictError,
  ConnectionError,
  type CustomEvent,
  createClient,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  type PagedPath,
  PermissionError,
  RateLimitError,
  type RequestReport,
  ServerError,
  UnavailableError,
  WebhookVerificationError,
  webhooks,
} from '@botledger/client';
import { folderSpool } from '@botledger/client/spool';
import type { Action, Result, Task } from './client-program.ts';

/** Drives the TypeScript client as README.md of this folder says. */

const KINDS = [
  [ConnectionError, 'connection'],
  [InvalidRequestError, 'invalid'],
  [AuthenticationError, 'authentication'],
  [PermissionError, 'permission'],
  [NotFoundError, 'not_found'],
  [ConflictError, 'conflict'],
  [RateLimitError, 'rate_limit'],
  [UnavailableError, 'unavailable'],
  [OutcomeUnknownError, 'outcome_unknown'],
  [ServerError, 'server'],
] as const;

let input = '';
for await (const part of process.stdin) input += part;
const task = JSON.parse(input) as Task;
const reports: RequestReport[] = [];
const client = createClient({
  onRequest: (report) => reports.push(report),
  baseUrl: task.base_url,
  apiKey: task.api_key,
  maxRetries: task.max_retries,
  timeoutMs: task.timeout_ms,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms * task.delay_factor);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});

/** The methods of all groups, by their names. */
const methods: Readonly<Record<string, (input: never, options: object) => Promise<unknown>>> = Object.assign(
  {},
  ...Object.values(client).filter((group) => typeof group === 'object'),
);

/** Events that a program in JavaScript may make. Their types are wrong on purpose. */
const ODD: Readonly<Record<'not_a_number' | 'long_id', CustomEvent>> = {
  not_a_number: { event: 'odd', user_id: 1, value_num: Number.NaN },
  long_id: { event: 'odd', user_id: (2n ** 53n) as never },
};

/** The text of the error that a call throws at once; null if it throws none. */
function refusalOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function perform(action: Action): Promise<unknown> {
  switch (action.do) {
    case 'call': {
      const { method, query = {}, body, idempotency_key: idempotencyKey } = action;
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const named = methods[action.operation];
      if (named === undefined) throw new Error(`the client has no method ${action.operation}`);
      // Queries and bodies of the scenarios are checked by the service.
      const data = await named((method === 'GET' ? query : body) as never, options);
      return data ?? null;
    }
    case 'pages': {
      const items: unknown[] = [];
      for await (const item of client.pages(action.path as PagedPath, action.query as never)) items.push(item);
      return items;
    }
    case 'queue': {
      const { max_batch: maxBatch, spool } = action;
      const queue = client.eventQueue({ maxBatch, ...(spool !== undefined && { spool: folderSpool(spool) }) });
      const refused = (action.odd ?? []).map((kind) => refusalOf(() => queue.add(ODD[kind])));
      for (const event of action.events as CustomEvent[]) {
        if (!queue.add(event)) throw new Error('the queue is full');
        if (action.change) event.event = 'changed';
      }
      if (action.kill_after_ms !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, action.kill_after_ms));
        process.kill(process.pid, 'SIGKILL');
      }
      return { ...(await queue.close(60_000 / task.delay_factor)), ...(action.odd && { refused }) };
    }
    case 'reports':
      return reports.splice(0).map(({ method, path, attempt, status, durationMs, requestId, error }) => ({
        ...{ method, path, attempt, status, request_id: requestId },
        error: error === null ? null : error instanceof BotledgerError && error.requestId,
        measured: durationMs >= 0,
      }));
    case 'verify': {
      const { body, headers, secrets, now_s } = action;
      return webhooks.verify(body, headers, secrets, { now: () => now_s * 1000 }).catch((error) => {
        if (error instanceof WebhookVerificationError) return null;
        throw error;
      });
    }
    case 'construct': {
      const { base_url: baseUrl, api_key: apiKey } = task;
      return [
        refusalOf(() => createClient({ baseUrl, apiKey: undefined as never })),
        refusalOf(() => createClient({ baseUrl: undefined as never, apiKey })),
        refusalOf(() => client.eventQueue({ maxBatch: 5000 })),
        refusalOf(() => client.eventQueue({ maxBatch: 0 })),
      ];
    }
  }
}

const results: Result[] = [];
for (const action of task.actions)
  try {
    results.push({ ok: true, data: await perform(action) });
  } catch (error) {
    if (!(error instanceof BotledgerError)) throw error;
    const { status, message, details } = error;
    const [, kind] = KINDS.find(([Class]) => error instanceof Class)!;
    results.push({ ok: false, error: { kind, status, message, details } });
  }
process.stdout.write(JSON.stringify({ results }));
