import type { ReadCommit } from './read-model.ts';

/** Bounds what is held at once: 1,000 commits may hold a million items. Parts of 20,000 took twice the time in JavaScript (garbage). */
const MAX_ITEMS = 5000;

/** The commits in their order, in parts of some 5,000 items. */
export function* parts(commits: readonly ReadCommit[]): Generator<readonly ReadCommit[]> {
  let part: ReadCommit[] = [];
  let items = 0;
  for (const commit of commits) {
    part.push(commit);
    for (const { data } of commit.events) items += 'items' in data ? data.items.length : 1;
    if (items < MAX_ITEMS) continue;
    yield part;
    part = [];
    items = 0;
  }
  if (part.length > 0) yield part;
}
