import type { VerifyWatch } from '../projections/runtime/verify.ts';
import type { ShowProgress } from './administration-context.ts';

/** Returns a listener that shows the progress of work on commits. */
export function commitsDone(show: ShowProgress, what: string): (done: number, total: number) => void {
  return (done, total) => show({ what, done, total, unit: 'commits' });
}

/** Returns a listener that shows the progress of comparing a read model with a replay. */
export function watchOf(show: ShowProgress, model: string): VerifyWatch {
  return {
    onCommits: commitsDone(show, `replaying ${model}`),
    onTables: (done, total) => show({ what: `comparing ${model}`, done, total, unit: 'checksums' }),
  };
}

/** Formats a duration: `1 h 5 min`, `3 min 20 s`, `7 s`. */
export function span(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(' ');
}
