import type { Version } from './answers.ts';
import { words } from './words.ts';

/** The lag of a version as this page saw it. */
export interface Sample {
  /** Milliseconds of the page's clock. */
  readonly at: number;
  readonly events: number;
  readonly seconds: number;
}

const MAX_SAMPLES = 60;

export function keyOf({ name, version }: Pick<Version, 'name' | 'version'>): string {
  return `${name} ${version}`;
}

/** The lags that were seen, by version, with the present ones; versions that are gone are left out. */
export function withSamples(
  seen: ReadonlyMap<string, readonly Sample[]>,
  versions: readonly Version[],
  at: number,
): ReadonlyMap<string, readonly Sample[]> {
  return new Map(
    versions.map((version) => {
      const before = seen.get(keyOf(version)) ?? [];
      return [keyOf(version), [...before, { at, ...version.lag }].slice(-MAX_SAMPLES)];
    }),
  );
}

const WIDTH = 72;
const HEIGHT = 18;

/** A small line of the lag, and the same in a word. */
export function Trend({ samples }: { readonly samples: readonly Sample[] }) {
  const values = samples.map(({ seconds }) => seconds);
  if (values.length < 3) return null;
  const most = Math.max(...values, 1);
  const points = values
    .map((value, i) => `${(i / (values.length - 1)) * WIDTH},${HEIGHT - 1 - (value / most) * (HEIGHT - 2)}`)
    .join(' ');
  const change = values.at(-1)! - values[0]!;
  const word = Math.abs(change) < 1 ? words.steady : change > 0 ? words.rising : words.falling;
  return (
    <>
      <svg class="trend" width={WIDTH} height={HEIGHT} aria-hidden="true">
        <polyline points={points} />
      </svg>{' '}
      <span class="quiet-text">{word}</span>
    </>
  );
}
