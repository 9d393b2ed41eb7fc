import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError } from '../api.ts';
import { botOfPage } from '../page-bot.ts';
import type { Answer } from './answer.ts';
import type { FlagButton, FlagNotes, Flags, LaunchesAt, notesOf } from './flags.tsx';
import type { ReportState } from './state.ts';

/** The broadcasts that were launched within an answer over time; a chart marks them. */
export interface LoadedFlags {
  /** The marked broadcasts, with the script that shows them; undefined: not there yet. */
  readonly value: Shown | undefined;
  readonly error: RequestError | undefined;
}

interface Shown {
  readonly flags: Flags;
  readonly FlagButton: typeof FlagButton;
  readonly LaunchesAt: typeof LaunchesAt;
  readonly FlagNotes: typeof FlagNotes;
  readonly notesOf: typeof notesOf;
}

const NOTHING: LoadedFlags = { value: undefined, error: undefined };

/** Loads the launches of an answer after the answer is shown, with the script that shows them. */
export function useFlags({ granularity }: ReportState, { rows, meta }: Answer): LoadedFlags {
  const loaded = useSignal(NOTHING);
  const times = rows.map((row) => String(row['date']));
  const question = JSON.stringify([times, granularity, meta.date_to]);
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      const { loadFlags, ...shown } = await import('./flags.tsx');
      try {
        const flags = await loadFlags(botOfPage()!.resource_key, times, meta.date_to);
        if (!isOver) loaded.value = { value: { ...shown, flags }, error: undefined };
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        if (!isOver) loaded.value = { value: undefined, error };
      }
    };
    loaded.value = NOTHING;
    if (times.length > 0) void load();
    return () => {
      isOver = true;
    };
  }, [question]);
  return loaded.value;
}
