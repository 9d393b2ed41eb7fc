import { ApiError, unavailable } from './api-errors.ts';

/** Bytes of bodies that are kept until their answers. */
export interface Pool {
  /** Of all bodies. */
  readonly maxBytes: number;
  /** Of one holder: an owner's keys, an operator, a bot or an address. Less than the pool, so that others have the rest. */
  readonly maxBytesOfHolder: number;
}

/** The pools of decisions.md#body-pools. While the log is down, 64 MiB of parsed events that wait take about 600 MB. */
export const POOLS = {
  key: { maxBytes: 64 << 20, maxBytesOfHolder: 32 << 20 },
  platform: { maxBytes: 16 << 20, maxBytesOfHolder: 4 << 20 },
  login: { maxBytes: 1 << 20, maxBytesOfHolder: 64 << 10 },
  stranger: { maxBytes: 16 << 20, maxBytesOfHolder: 1 << 20 },
} satisfies Record<string, Pool>;
export type PoolName = keyof typeof POOLS;

/** The pool of a body's bytes, and the holder that they count for. */
export interface BodyShare {
  readonly pool: PoolName;
  readonly holder: string;
}

/** The bytes that are held now, by pool and by holder. */
export class BodyPools {
  private readonly held = { key: 0, platform: 0, login: 0, stranger: 0 };
  /** Only holders of more than 0 bytes. */
  private readonly byHolder = new Map<string, number>();

  constructor(private readonly pools: Readonly<Record<PoolName, Pool>> = POOLS) {}

  /** Holds the bytes. Returns the reason to refuse the body. The body then holds no bytes; null: there is room. */
  hold(share: BodyShare, bytes: number): ApiError | null {
    const { maxBytes, maxBytesOfHolder } = this.pools[share.pool];
    const ofHolder = this.ofHolder(share) + bytes;
    if (ofHolder > maxBytesOfHolder)
      return unavailable(
        `the requests of this ${HOLDERS[share.pool]} that wait have ${maxBytesOfHolder} bytes, try again`,
      );
    if (this.held[share.pool] + bytes > maxBytes) return unavailable('too many requests are waiting, try again');
    this.set(share, bytes, ofHolder);
    return null;
  }

  release(share: BodyShare, bytes: number): void {
    this.set(share, -bytes, this.ofHolder(share) - bytes);
  }

  /** Holders that hold bytes. */
  get holders(): number {
    return this.byHolder.size;
  }

  private ofHolder(share: BodyShare): number {
    return this.byHolder.get(nameOf(share)) ?? 0;
  }

  private set(share: BodyShare, more: number, ofHolder: number): void {
    this.held[share.pool] += more;
    if (ofHolder === 0) this.byHolder.delete(nameOf(share));
    else this.byHolder.set(nameOf(share), ofHolder);
  }
}

const HOLDERS: Readonly<Record<PoolName, string>> = {
  key: 'owner',
  platform: 'bot',
  login: 'address',
  stranger: 'address',
};

const nameOf = ({ pool, holder }: BodyShare): string => `${pool} ${holder}`;

/** How slowly a body may arrive. */
export interface Pace {
  /** For the first bytes. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}
export const PACE: Pace = { graceMs: 5_000, bytesPerSecond: 16 << 10 };

/** Milliseconds since the headers within which the next byte must arrive. */
function allowedMs({ graceMs, bytesPerSecond }: Pace, receivedBytes: number): number {
  return graceMs + (receivedBytes / bytesPerSecond) * 1000;
}

/** Calls `late` once a body falls behind the pace. @param received bytes so far @returns ends the watch */
export function watchPace(pace: Pace, received: () => number, late: (error: ApiError) => void): () => void {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const leftMs = start + allowedMs(pace, received()) - performance.now();
    if (leftMs > 0) timer = setTimeout(wait, Math.ceil(leftMs));
    else late(new ApiError(408, `the body arrives more slowly than ${pace.bytesPerSecond} bytes a second`));
  };
  wait();
  return () => clearTimeout(timer);
}
