/**
 * Whether a value is text that fits the pattern: each `%` stands for any text, the empty one too, and everything else for
 * itself, in its case (decisions.md#like). `conditionSql` says the same with LIKE.
 */
export function isLike(pattern: string): (value: unknown) => boolean {
  const [first, ...rest] = pattern.split('%') as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return (value) => value === pattern;
  return (value) => {
    if (typeof value !== 'string' || !value.startsWith(first)) return false;
    // What lies between finds its first place: no other leaves more for what follows.
    let from = first.length;
    for (const part of rest) {
      const place = value.indexOf(part, from);
      if (place < 0) return false;
      from = place + part.length;
    }
    return value.length - last.length >= from && value.endsWith(last);
  };
}

/** The pattern as LIKE takes it: there `_` stands for one character, and a backslash takes that from what follows it. */
export function likePattern(pattern: string): string {
  return pattern.replace(/[\\_]/g, '\\$&');
}
