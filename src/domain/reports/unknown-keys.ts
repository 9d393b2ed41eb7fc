import { isJsonObject } from '../json.ts';
import { under, type Warning } from '../problem.ts';

/** The keys that mean something: null for any value, an object for the keys below, an array for those of its items. */
export type KnownKeys = null | { readonly [key: string]: KnownKeys } | readonly [KnownKeys];

const MAX_WARNINGS = 100;

/**
 * A warning for each key that means nothing: a typo must not pass silently (decisions.md#unknown-keys). At most 100.
 */
export function unknownKeys(value: unknown, known: KnownKeys, path = ''): Warning[] {
  if (known === null) return [];
  const warnings: Warning[] = [];
  if (isArray(known)) {
    if (!Array.isArray(value)) return [];
    for (const [index, item] of value.entries()) warnings.push(...unknownKeys(item, known[0], under(path, index)));
  } else if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const below = Object.hasOwn(known, key) ? known[key] : undefined;
      if (below === undefined) warnings.push({ path: under(path, key), message: 'unknown key, ignored' });
      else warnings.push(...unknownKeys(child, below, under(path, key)));
    }
  }
  return warnings.slice(0, MAX_WARNINGS);
}

function isArray(known: KnownKeys): known is readonly [KnownKeys] {
  return Array.isArray(known);
}
