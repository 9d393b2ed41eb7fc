import { pythonOfTests } from '../support/python.ts';
import { runWithTask } from './run-with-task.ts';

/** The task of a program that drives a middleware in its framework (README.md of this folder). */
export interface ForwarderTask {
  readonly base_url: string;
  readonly api_key: string;
  readonly forward_updates?: boolean;
  readonly capacity?: number;
  /** The folder of a spool. */
  readonly spool?: string;
  /** How long an item waits for others. Retries wait their real time. */
  readonly max_delay_ms: number;
  readonly steps: readonly Step[];
}

/** An update, and the acts of its handler: events one after the other, then links at the same time, then perhaps an error. */
export type Step =
  | {
      readonly do: 'update';
      readonly update: object;
      readonly events?: readonly {
        readonly name: string;
        readonly fields?: Readonly<Record<string, unknown>>;
        readonly await_sent?: boolean;
      }[];
      readonly links?: number;
      readonly fails?: boolean;
    }
  /** Kills the program after that time. */
  | { readonly do: 'kill'; readonly after_ms: number }
  | { readonly do: 'flush' }
  | { readonly do: 'close' };

export interface Handled {
  readonly taken?: boolean;
  readonly link?: string | null;
  readonly error?: string;
}

export interface StepResult {
  readonly handled?: readonly Handled[];
}

export interface ForwarderRun {
  readonly results: readonly StepResult[];
  /** The texts of the errors that `onFailed` got, one for each item. */
  readonly failed: readonly string[];
  /** The log of the program. */
  readonly stderr: string;
}

export interface Framework {
  readonly name: string;
  readonly command: readonly string[];
  readonly lacks?: string;
}

const python = await pythonOfTests();
const NODE = ['node', '--conditions=@botledger/source', '--import', 'tsx', 'test/clients/forwarder-program.ts'];

export const frameworks: readonly Framework[] = [
  { name: 'grammy', command: [...NODE, 'grammy'] },
  { name: 'telegraf', command: [...NODE, 'telegraf'] },
  {
    name: 'aiogram',
    command: ['path' in python ? python.path : 'python3', 'packages/python/forwarder_conformance.py'],
    ...('lacks' in python && { lacks: python.lacks }),
  },
];

/** @returns null if the program killed itself @throws Error with its stderr if it fails */
export async function runFramework({ command }: Framework, task: ForwarderTask): Promise<ForwarderRun | null> {
  const ran = await runWithTask(command, task);
  return ran && { ...(JSON.parse(ran.stdout) as Omit<ForwarderRun, 'stderr'>), stderr: ran.stderr };
}
