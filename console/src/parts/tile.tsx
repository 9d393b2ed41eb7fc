import type { ComponentChildren } from 'preact';

export interface TileProps {
  /** Names the figure for tests. */
  readonly id?: string;
  readonly name: string;
  /** Short, such as `28.2k`. */
  readonly figure: ComponentChildren;
  /** All digits, shown on hover. */
  readonly exact?: string;
  /** A small line of the values over time, at the right. */
  readonly spark?: ComponentChildren;
  /** The change, with the value before. */
  readonly change?: ComponentChildren;
  /** The page that explains the figure. */
  readonly href?: string | undefined;
}

/** A figure. Several stand in an element of class `tiles`. */
export function Tile({ id, name, figure, exact, spark, change, href }: TileProps) {
  const Box = href === undefined ? 'div' : 'a';
  return (
    <Box class="tile" data-figure={id} {...(href === undefined ? {} : { href })}>
      <span class="name">{name}</span>
      <span class="figure" title={exact}>
        {figure}
      </span>
      {spark}
      <span class="change">{change}</span>
    </Box>
  );
}

export interface SparkProps {
  readonly values: readonly number[];
  /** The last value is not over: its part of the line is broken. */
  readonly isRunning?: boolean;
}

/** A line without axes beside a figure. Its numbers stand elsewhere. */
export function Spark({ values, isRunning = true }: SparkProps) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const point = (value: number, index: number): string => {
    const x = 2 + (index * 80) / (values.length - 1);
    const y = high === low ? 16 : 29 - ((value - low) * 26) / (high - low);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  const points = values.map(point);
  const whole = isRunning ? points.slice(0, -1) : points;
  const line = {
    fill: 'none',
    stroke: 'var(--k)',
    'stroke-width': 1.5,
    'vector-effect': 'non-scaling-stroke',
  } as const;
  return (
    <svg class="spark k1" viewBox="0 0 84 32" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${whole.join('L')}`} {...line} />
      {isRunning && <path d={`M${points.slice(-2).join('L')}`} stroke-dasharray="2 2" {...line} />}
    </svg>
  );
}
