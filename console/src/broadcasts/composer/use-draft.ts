import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Answer, type Detail, RequestError, request, sendChange } from '../../api.ts';
import { filterWords } from '../../parts/filter-words.ts';
import type { Broadcast } from '../broadcast.ts';
import { bodyOf, changesOf, type Draft, draftOf, isElsewhere, NEW } from './draft.ts';
import { keep, readKept } from './kept.ts';
import { unfinishedIn } from './segments.ts';

const KEEP_MS = 5000;

/** The outcome of the last save of a draft. */
interface Saved {
  readonly place: string;
  readonly warnings: readonly Detail[];
  /** Why some fields were not saved; undefined: all were. */
  readonly refused: RequestError | undefined;
}

/** It outlives the change of the address from a new broadcast to its id. */
const saved = signal<Saved | null>(null);

export interface OpenDraft {
  readonly draft: Signal<Draft>;
  set(part: Partial<Draft>): void;
  /** Takes the draft as it is saved, and forgets what was typed. */
  show(loaded: Draft): void;
  /** The draft as the service has it, if it was changed there in the meantime. */
  readonly elsewhere: Signal<Draft | null>;
  /** Null: nothing was saved since the last change. */
  readonly saved: Saved | null;
  /** The names of the fields that are not saved. */
  readonly unsaved: readonly string[];
  /** When the browser kept the unsaved fields, in milliseconds since 1970; null: not yet; false: it refuses to. */
  readonly keptAt: Signal<number | null | false>;
  /**
   * Saves the changed fields. Fields that the service refuses stay in the browser, and the others are saved.
   * @returns the id; null: the draft was changed elsewhere, and `overwrite` is not set @throws RequestError
   */
  save(overwrite?: boolean): Promise<{ readonly id: number; readonly refused: RequestError | undefined } | null>;
  /** Forgets what the browser kept. */
  forget(): void;
}

/** A draft that is being written. What is not saved is kept in the browser, every 5 s and when the page is left. */
export function useDraft(bot: string, broadcast: Broadcast | null): OpenDraft {
  const id = broadcast?.id ?? null;
  const place = `${bot} ${id ?? 'new'}`;
  const kept = useRef(readKept(place)).current;
  const first = useRef<Draft>(broadcast === null ? NEW : draftOf(broadcast)).current;
  const draft = useSignal(kept?.draft ?? first);
  /** The draft as it was loaded or saved last: only what differs from it is saved. */
  const base = useSignal(kept?.base ?? first);
  const elsewhere = useSignal<Draft | null>(null);
  const keptAt = useSignal<number | null | false>(kept?.at ?? null);
  const isDirty = useRef(false);

  function keepNow(): void {
    if (!isDirty.current) return;
    isDirty.current = false;
    const at = Date.now();
    keptAt.value = keep(place, { draft: draft.peek(), base: base.peek(), at }) && at;
  }
  function forget(): void {
    isDirty.current = false;
    keptAt.value = null;
    keep(place, null);
  }
  useEffect(() => {
    const timer = setInterval(keepNow, KEEP_MS);
    window.addEventListener('pagehide', keepNow);
    document.addEventListener('visibilitychange', keepNow);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', keepNow);
      document.removeEventListener('visibilitychange', keepNow);
      keepNow();
    };
  }, [place]);

  function show(loaded: Draft): void {
    draft.value = base.value = loaded;
    elsewhere.value = null;
    forget();
  }

  async function save(overwrite = false) {
    const given = draft.value;
    if (id !== null && !overwrite) {
      const theirs = draftOf(await request<Broadcast>(`/v1/broadcast/get?id=${id}`, { bot }));
      elsewhere.value = isElsewhere({ draft: given, base: base.value }, theirs) ? theirs : null;
      if (elsewhere.value !== null) return null;
    }
    const body = id === null ? bodyOf(given) : changesOf(base.value, given);
    const { answer, refused } = await send(bot, id, body, unfinishedIn(given.audience));
    const { data, warnings = [] } = answer;
    base.value = draftOf(data);
    const savedPlace = `${bot} ${data.id}`;
    if (refused !== undefined) keep(savedPlace, { draft: draft.value, base: base.value, at: Date.now() });
    else if (overwrite) show(base.value);
    else if (draft.value === given) forget();
    if (id === null) forget();
    saved.value = { place: savedPlace, warnings, refused };
    return { id: data.id, refused };
  }

  return {
    draft,
    set(part) {
      draft.value = { ...draft.value, ...part };
      isDirty.current = true;
      saved.value = null;
    },
    show,
    elsewhere,
    saved: saved.value?.place === place ? saved.value : null,
    unsaved: Object.keys(changesOf(base.value, draft.value)),
    keptAt,
    save,
    forget,
  };
}

/**
 * Creates or saves a draft. Fields that are refused are left out.
 * @param unfinished paths of segments with a condition that has no value yet: the audience is not sent
 */
async function send(
  bot: string,
  id: number | null,
  body: Readonly<Record<string, unknown>>,
  unfinished: readonly string[],
): Promise<{ readonly answer: Answer<Broadcast>; readonly refused: RequestError | undefined }> {
  const path = `/v1/broadcast/${id === null ? 'create' : 'save'}`;
  const sent = (fields: object) => sendChange<Broadcast>(path, id === null ? fields : { id, ...fields }, bot);
  if (unfinished.length > 0 && 'segmentations' in body) {
    const { segmentations: _, ...finished } = body;
    const details = unfinished.map((path) => ({ path, message: filterWords.unfinished }));
    const refusal = new RequestError(filterWords.unfinished, 400, details);
    if (Object.keys(finished).length === 0) throw refusal;
    const { answer, refused } = await send(bot, id, finished, []);
    return { answer, refused: new RequestError(refusal.message, 400, [...details, ...(refused?.details ?? [])]) };
  }
  try {
    return { answer: await sent(body), refused: undefined };
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 400) throw error;
    const wrong = new Set(error.details.map((detail) => detail.path.split('.')[0]!));
    // A draft keeps its type as long as its message is not saved.
    if (id !== null && (wrong.has('message') || wrong.has('variants'))) wrong.add('type');
    const right = Object.entries(body).filter(([name]) => !wrong.has(name));
    if (right.length === 0 || right.length === Object.keys(body).length) throw error;
    return { answer: await sent(Object.fromEntries(right)), refused: error };
  }
}
