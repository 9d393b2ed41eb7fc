import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** An answer that takes longer gets a word. */
const SLOW_MS = 3000;
/** A shape that comes sooner would only flicker. */
const SOON_MS = 200;
/** The longest time that an answer may take. */
const LATEST_MS = 25_000;

interface WaitingProps {
  /** Shown while nothing else stands in the place of the answer. */
  readonly isEmpty: boolean;
  /** Said at once of old numbers that still stand there. */
  readonly old?: string | undefined;
  /** Said when it takes long. */
  readonly slow: string;
}

/** Says that an answer is awaited: a word after 3 s, and the shape of the answer in its place. */
export function Waiting({ isEmpty, old, slow }: WaitingProps) {
  const stage = useSignal<'none' | 'soon' | 'slow'>('none');
  useEffect(() => {
    const timers = [
      setTimeout(() => {
        stage.value = 'soon';
      }, SOON_MS),
      setTimeout(() => {
        stage.value = 'slow';
      }, SLOW_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }, []);
  if (stage.value === 'none') return null;
  return (
    <>
      {(old !== undefined || stage.value === 'slow') && (
        <p class="quiet-text small-text">
          {stage.value === 'slow' && `${slow} `}
          {old}
        </p>
      )}
      {isEmpty && <span class="skel chart" />}
    </>
  );
}

/**
 * Runs `work`, which has no answer after {@link LATEST_MS}.
 * @throws what `work` throws when its signal is aborted
 */
export async function inTime<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), LATEST_MS);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
