import type { Action, Result, Task } from './client-program.ts';
import type { Stage, Surroundings } from './stage.ts';

export interface Scene extends Stage, Surroundings {
  /** Runs the client's program with these actions. */
  run(actions: readonly Action[], options?: Partial<Task>): Promise<readonly Result[]>;
  /** Runs it with an action at whose end it kills itself. */
  runUntilKilled(action: Action): Promise<void>;
}

/** Checks of a client, by the fact that each of them checks. */
export type Scenarios = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

/** The data of the only result. It must be a success. */
export async function dataOf(results: Promise<readonly Result[]>) {
  const [result] = await results;
  if (!result?.ok) throw new Error(`the client failed: ${JSON.stringify(result?.error)}`);
  return result.data;
}
