import type { Progress, ShowProgress } from '../administration/administration-context.ts';
import { span } from '../administration/work-progress.ts';
import { counted } from '../util/counted.ts';

/** The stream that progress is written to: a terminal or a file. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  /** Characters in a line of the terminal; 0: unknown. */
  readonly columns?: number;
  write(text: string): unknown;
}

const TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

/** Writes one changing line on a terminal, elsewhere a line every 10 s. The rate counts only the current part. */
export function createProgress(stream: ProgressStream): ShowProgress {
  let part: { readonly begun: number; readonly before: number; readonly now: Progress } | null = null;
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    if (part === null) return;
    const { begun, before, now } = part;
    const text = lineOf(now, (now.done - before) / Math.max((performance.now() - begun) / 1000, 0.001));
    // Cut to the width of the terminal, since a wrapped line cannot be cleared.
    stream.write(stream.isTTY ? `${CLEAR_LINE}${text.slice(0, (stream.columns || 80) - 1)}` : `${text}\n`);
  }

  return (now) => {
    if (now === null) {
      if (timer !== undefined && stream.isTTY) stream.write(CLEAR_LINE);
      clearInterval(timer);
      timer = undefined;
      part = null;
      return;
    }
    const isSamePart = part?.now.what === now.what;
    part = isSamePart ? { ...part!, now } : { begun: performance.now(), before: now.done, now };
    timer ??= setInterval(write, stream.isTTY ? TERMINAL_MS : ELSEWHERE_MS).unref();
  };
}

function lineOf({ what, done, total, unit }: Progress, perSecond: number): string {
  const share = total === null || total === 0 ? [] : [`${Math.floor((done / total) * 100)} %`];
  const rate = perSecond === 0 ? [] : [`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} a second`];
  const left = total === null || perSecond === 0 ? [] : [`${span((total - done) / perSecond)} left`];
  const of = total === null ? '' : `${done} of `;
  return `${what}: ${[`${of}${counted(total ?? done, unit.slice(0, -1), unit)}`, ...share, ...rate, ...left].join(', ')}`;
}
