import { runWithTask } from './run-with-task.ts';

/** A client library with the program that drives it (README.md of this folder). */
export interface ClientProgram {
  readonly name: string;
  readonly command: readonly string[];
  /** The part that is not installed here; absent if the program can run. */
  readonly lacks?: string;
}

export type Action =
  | {
      readonly do: 'call';
      readonly operation: string;
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly query?: Readonly<Record<string, string | number>>;
      readonly body?: unknown;
      readonly idempotency_key?: string;
    }
  | {
      readonly do: 'pages';
      readonly operation: string;
      readonly method: 'GET';
      readonly path: string;
      readonly query: Readonly<Record<string, string | number>>;
      readonly items: string;
    }
  | {
      readonly do: 'queue';
      readonly events: readonly object[];
      readonly max_batch: number;
      readonly odd?: readonly ('not_a_number' | 'long_id')[];
      readonly change?: boolean;
      readonly spool?: string;
      readonly kill_after_ms?: number;
    }
  | { readonly do: 'construct' }
  | { readonly do: 'reports' }
  | {
      readonly do: 'verify';
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly secrets: readonly string[];
      readonly now_s: number;
    };

export interface Task {
  readonly base_url: string;
  readonly api_key: string;
  readonly max_retries: number;
  readonly timeout_ms: number;
  readonly delay_factor: number;
  readonly actions: readonly Action[];
}

export type Result =
  // biome-ignore lint/suspicious/noExplicitAny: data of every call
  | { readonly ok: true; readonly data: any }
  | {
      readonly ok: false;
      readonly error: {
        readonly kind: string;
        readonly status: number | null;
        readonly message: string;
        readonly details: readonly { readonly path: string; readonly message: string }[];
      };
    };

/** Runs the program once. @returns null if it killed itself @throws Error with its stderr if it does not answer as the page says */
export async function runProgram({ command }: ClientProgram, task: Task): Promise<readonly Result[] | null> {
  const ran = await runWithTask(command, task);
  if (ran === null) return null;
  const { stdout, stderr } = ran;
  try {
    const { results } = JSON.parse(stdout) as { results: readonly Result[] };
    if (results.length !== task.actions.length) throw new Error(`${results.length} results`);
    return results;
  } catch (cause) {
    throw new Error(`${command.join(' ')} answered ${stdout}\n${stderr}`, { cause });
  }
}
