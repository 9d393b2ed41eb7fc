import type pg from 'pg';
import type { CommandContext } from '../commands/decide-and-append.ts';
import type { Manifest } from '../projections/read-model.ts';
import type { Reader } from '../projections/reader.ts';
import type { ProjectorOptions } from '../projections/runtime/projector-options.ts';

/** The context of the work of operators, whether a command, a request or a job does it. */
export interface AdministrationContext extends CommandContext {
  readonly pool: pg.Pool;
  /** All read models. */
  readonly manifests: readonly Manifest[];
  /** Resolves when every running instance answers from the versions of read models that are live now. */
  waitForSwitch(): Promise<void>;
}

/** The context of work of minutes: it builds, replays and reads read models. */
export interface LongWorkContext extends AdministrationContext, Reader {
  /** Loads the code of a read model. @returns the options with which the work projects it itself */
  projector(model: Manifest): Promise<ProjectorOptions>;
  /** Resolves when the read models have applied all that was in the log when the work began. */
  readonly at: Reader['at'];
  /** The file of CHECKPOINT_KEY; undefined with PROOF=off. */
  readonly checkpointKey: string | undefined;
  /** The file of WITNESS_POLICY; undefined: there are no witnesses. */
  readonly witnessPolicy: string | undefined;
  /** Aborts when the work is to stop early. */
  readonly signal: AbortSignal;
  /** Shows the progress of the work. */
  readonly progress: ShowProgress;
}

/** The progress of one part of the work. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  /** Null if unknown. */
  readonly total: number | null;
  /** The counted things, in the plural. */
  readonly unit: string;
}

/** Shows the progress to a person. Null: the work is done. */
export type ShowProgress = (progress: Progress | null) => void;
