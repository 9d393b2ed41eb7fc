/** The UTM of a visit; null: not given. */
export interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
}

/** How a bot separates UTM pairs in start payloads. */
export interface Separators {
  readonly pair: string;
  readonly value: string;
}

const KEY = /^(?:utm_?)?(source|medium|campaign|term|content)$/;

/**
 * Reads a /start payload as UTM (decisions.md#start-payload): `utm_source-ads_utm_medium-cpc`, `source-ads`, or a bare
 * `ads`.
 * @param isCode whether the payload was a referral code of the bot when the visit was received: then a bare one is no source
 * @returns null when the visit has no UTM
 */
export function parseUtm(payload: string, { pair, value }: Separators, isCode = false): Utm | null {
  const found = new Map<string, string>();
  for (const piece of payload.split(pair)) {
    // If the pair separator is `_`, the prefix of `utm_source-x` is a separate piece and no pair.
    const at = piece.indexOf(value);
    const key = at < 0 ? undefined : KEY.exec(piece.slice(0, at))?.[1];
    const text = piece.slice(at + value.length);
    if (key !== undefined && text !== '') found.set(key, text);
  }
  if (found.size === 0 && isCode) return null;
  return {
    source: found.size === 0 ? payload : (found.get('source') ?? null),
    medium: found.get('medium') ?? null,
    campaign: found.get('campaign') ?? null,
    term: found.get('term') ?? null,
    content: found.get('content') ?? null,
  };
}
