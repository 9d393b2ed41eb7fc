/** The changes that a start of this release makes in an installation (decisions.md#upgrade-plan). */
export interface UpgradePlan {
  /** The release that would start. */
  readonly release: string;
  /** Migrations that a start runs, by schema. */
  readonly migrations: readonly { readonly schema: string; readonly names: readonly string[] }[];
  readonly read_models: readonly PlannedReadModel[];
  /** Null: the tables of the log migrate first, so this release cannot read them yet. */
  readonly events: EventsOfLog | null;
  /** Commands and acts of the operator, in order. */
  readonly steps: readonly string[];
}

export interface PlannedReadModel {
  readonly name: string;
  /** The shape that the installation has built last; null: none. */
  readonly from_shape: number | null;
  readonly to_shape: number;
  /** Whether a start builds it from the log. */
  readonly is_built: boolean;
  /** Whether its former version answers until the new one is built, and is kept for a step back. */
  readonly serves_former: boolean;
  /** How its tables differ from those that answer now; empty: only its rows do, or nothing. */
  readonly changes: readonly string[];
  /** Commits that the build reads; null: it is not built, or the log cannot be read yet. */
  readonly commits: number | null;
  /** Foretold from a sample; null: there is none. Deferred work, such as packing, comes on top. */
  readonly seconds: number | null;
  readonly disk_bytes: number | null;
}

export interface EventsOfLog {
  readonly commits: number;
  readonly types: readonly TypeOfLog[];
}

/** The events of a type in one version of its shape. */
export interface TypeOfLog {
  readonly category: string;
  readonly type: string;
  readonly v: number;
  readonly events: number;
  /** How many of them were decoded and brought to the current shape. */
  readonly tried: number;
  /** The first that this release cannot read; null: it reads all that it tried. */
  readonly unreadable: { readonly position: string; readonly error: string } | null;
}
