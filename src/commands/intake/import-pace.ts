import type { Position } from '../../log/port.ts';

/** Keeps an import at the pace of the read models (decisions.md#import-events). */
export interface ImportPace {
  /**
   * Resolves when the import may append: at most {@link MAX_UNAPPLIED} of its commits are not applied yet. So events of
   * other bots wait behind few events of the import. If read models do not get on, it resolves all the same.
   */
  room(): Promise<void>;
  /** @param keys the `event_key` of the commit's events */
  appended(position: Position, keys?: readonly string[]): void;
  /** Whether a commit of the import that read models may not have applied yet has the key. */
  has(key: string): boolean;
}

/**
 * Waits until the read models of a running service have applied the commit, for a limited time.
 * @returns whether they have; false also if no service runs
 */
export type WaitForReadModels = (position: Position) => Promise<boolean>;

/** One commit that is being applied, and one behind it. */
const MAX_UNAPPLIED = 2;

export function createImportPace(applied: WaitForReadModels): ImportPace {
  const pending: { readonly position: Position; readonly keys: ReadonlySet<string> }[] = [];
  /** Keys of earlier commits. A read model that applies a commit has applied those before it. */
  const left = new Set<string>();

  return {
    async room() {
      while (pending.length >= MAX_UNAPPLIED) {
        const { position, keys } = pending[0]!;
        if (await applied(position)) left.clear();
        else for (const key of keys) left.add(key);
        pending.shift();
      }
    },
    appended(position, keys = []) {
      pending.push({ position, keys: new Set(keys) });
    },
    has: (key) => left.has(key) || pending.some(({ keys }) => keys.has(key)),
  };
}
