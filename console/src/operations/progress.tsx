import { number } from '../format.ts';
import type { Job } from './answers.ts';
import { words } from './words.ts';

/** How far a job or an inspection is; nothing while that is not known. */
export function Progress({ progress }: Pick<Job, 'progress'>) {
  if (progress === null) return null;
  const { what, done, total, unit } = progress;
  return (
    <div>
      <progress {...(total === null ? {} : { max: Math.max(total, 1), value: done })} aria-label={what} />
      <div class="quiet-text">{words.progress(what, number(done), total === null ? null : number(total), unit)}</div>
    </div>
  );
}
