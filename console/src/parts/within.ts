/** Whether `whole` has all that `part` has. What is null or empty in `part` may be missing. @param but keys that do not count */
export function isWithin(part: unknown, whole: unknown, but: readonly string[] = []): boolean {
  if (typeof part !== 'object' || part === null) return part === null || part === whole;
  if (Array.isArray(part) && part.length === 0) return true;
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part) && part.length !== (whole as readonly unknown[]).length) return false;
  return Object.entries(part).every(
    ([key, value]) => but.includes(key) || isWithin(value, (whole as Readonly<Record<string, unknown>>)[key], but),
  );
}
