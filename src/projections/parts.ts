import type { ReadCommit } from './read-model.ts';

/** Bounds what is held in memory at once: 1,000 commits may hold a million items. */
const MAX_ITEMS = 20_000;

/** The commits in their order, in parts of some 20,000 items. */
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
