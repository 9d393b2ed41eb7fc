/** A copy may be this deep. Data with a circle are deeper. */
const MAX_DEPTH = 100;

/**
 * Copies data as JSON holds them. A BigInt becomes a number, or text where it is an amount.
 * @param amount the field whose digits are all kept
 * @throws TypeError with the place of a value that JSON does not hold
 */
export function copyOf(value: unknown, amount?: string, path: readonly string[] = []): unknown {
  const refuse = (problem: string): never => {
    throw new TypeError(path.length === 0 ? problem : `${problem} (at ${path.join('.')})`);
  };
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : refuse(`must be a finite number, not ${value}`);
    case 'bigint':
      return path.at(-1) === amount ? String(value) : (Number(checkedId(value, refuse)) as unknown);
    case 'function':
    case 'symbol':
      return refuse(`must be JSON, not a ${typeof value}`);
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (path.length > MAX_DEPTH) return refuse('is nested too deeply');
  if (value instanceof Map || value instanceof Set) return refuse(`must be JSON, not a ${value.constructor.name}`);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') {
    const plain: unknown = toJSON.call(value, path.at(-1) ?? '');
    // The only null of the platform's own toJSON.
    return plain === null && value instanceof Date ? refuse('must be a valid date') : copyOf(plain, amount, path);
  }
  if (Array.isArray(value)) return value.map((item, index) => copyOf(item, amount, [...path, String(index)]));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, amount, [...path, key])]));
}

/** A number holds each integer of this size. */
function checkedId(id: bigint, refuse: (problem: string) => never): bigint {
  if (id > Number.MAX_SAFE_INTEGER) refuse(`must be at most ${Number.MAX_SAFE_INTEGER}`);
  if (id < Number.MIN_SAFE_INTEGER) refuse(`must be at least ${Number.MIN_SAFE_INTEGER}`);
  return id;
}
