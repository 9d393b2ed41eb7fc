import { operate } from './operate.ts';

/** Runs a CLI command on the installation that the environment names. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Administer = (...argv: string[]) => Promise<any>;

/** The CLI with --json, in this process; each command must succeed. */
export function administer(env: Record<string, string>): Administer {
  return (...argv) => operate(env, argv);
}
