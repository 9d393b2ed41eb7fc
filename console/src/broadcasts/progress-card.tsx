import { useRef } from 'preact/hooks';
import { duration, number, perCent } from '../format.ts';
import { type Broadcast, PARTS, type Part, partsOf } from './broadcast.ts';
import { FEW } from './wilson.ts';
import { words } from './words.ts';

const LOOKS: Readonly<Record<Part, string>> = {
  delivered: 'k1',
  not_delivered: 'k-neg',
  unknown: 'k-warn',
  cancelled: 'k-before',
  left: 'hatch',
};

/** How far a broadcast is: parts as they are recorded, the rate and the time left as they were seen here. */
export function ProgressCard({ broadcast }: { readonly broadcast: Broadcast }) {
  const parts = partsOf(broadcast);
  const all = broadcast.count_recipients;
  const attempted = all - parts.left - parts.cancelled;
  const rate = useRate(attempted);
  if (all === 0) return null;
  let before = 0;
  return (
    <section class="card" aria-label={words.progressTitle}>
      <div class="body run">
        <div class="top-line">
          <p>
            <span class="figure">{number(attempted)}</span>{' '}
            <span class="quiet-text">
              {words.sentOf(number(all))}
              {all >= FEW && ` · ${perCent(attempted / all)}`}
            </span>
          </p>
          {broadcast.status === 2 && rate !== null && rate > 0 && (
            <p class="quiet-text">{words.rate(number(Math.round(rate)), duration(parts.left / rate))}</p>
          )}
        </div>
        <div
          role="progressbar"
          aria-label={words.progress(number(attempted), number(all))}
          aria-valuemin={0}
          aria-valuemax={all}
          aria-valuenow={attempted}
          tabIndex={-1}
        >
          <svg class="progress" aria-hidden="true">
            <defs>
              <pattern id="left-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <path d="M0 0v6" />
              </pattern>
            </defs>
            {PARTS.map((part) => {
              const x = (100 * before) / all;
              before += parts[part];
              return (
                <rect
                  key={part}
                  class={LOOKS[part]}
                  x={`${x}%`}
                  width={`${(100 * parts[part]) / all}%`}
                  height="100%"
                  fill={part === 'left' ? 'url(#left-hatch)' : 'var(--k)'}
                />
              );
            })}
          </svg>
        </div>
        <dl class="legend outcomes">
          {PARTS.map((part) => (
            <div key={part}>
              <dt>
                <span class={part === 'left' ? 'key hatch' : `key ${LOOKS[part]}`} /> {words.parts[part]}
              </dt>
              <dd>{number(parts[part])}</dd>
            </div>
          ))}
        </dl>
        {parts.unknown > 0 && <p class="quiet-text small-text">{words.unknownMeans}</p>}
      </div>
    </section>
  );
}

const RATE_OVER_MS = 10_000;

/** Recipients a second over the last ten seconds that this page saw; null: too little was seen. */
function useRate(attempted: number): number | null {
  const seen = useRef<{ readonly at: number; readonly attempted: number }[]>([]);
  const now = performance.now();
  if (seen.current.at(-1)?.attempted !== attempted) seen.current.push({ at: now, attempted });
  while (seen.current.length > 2 && now - seen.current[1]!.at > RATE_OVER_MS) seen.current.shift();
  const [first] = seen.current;
  if (first === undefined || now - first.at < 1000) return null;
  return ((attempted - first.attempted) * 1000) / (now - first.at);
}
