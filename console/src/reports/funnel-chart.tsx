import { duration, number, perCent } from '../format.ts';
import { useWidth } from '../parts/width.ts';
import type { Step } from './funnel-steps.ts';
import { eventName } from './lines.ts';
import { words } from './words.ts';

/** Below this width the columns become bars under each other. */
const NARROW = 560;

/** A funnel: columns that lose height, at the width that there is. Its numbers stand in the table below. */
export function FunnelChart({ steps }: { readonly steps: readonly Step[] }) {
  const { place, width } = useWidth();
  const isNarrow = width < NARROW || width / steps.length < 150;
  const label = words.funnelOf(
    steps.map(({ label: name, people }) => `${eventName(name)} ${number(people)}`).join(', '),
  );
  return (
    <div class="chart funnel" ref={place}>
      {width > 0 &&
        (isNarrow ? (
          <Bars steps={steps} width={width} label={label} />
        ) : (
          <Columns steps={steps} width={width} label={label} />
        ))}
    </div>
  );
}

interface FormProps {
  readonly steps: readonly Step[];
  readonly width: number;
  readonly label: string;
}

const nameOf = ({ step, label }: Step): string => `${step}. ${eventName(label)}`;
const partOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Hatching in the colour of the columns. */
function Hatch() {
  return (
    <pattern
      id="funnel-hatch"
      class="k1"
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <path class="hatch-line" d="M0 0V6" />
    </pattern>
  );
}

/** A text that ends with dots where its place ends. About seven pixels a letter. */
function fitted(text: string, pixels: number): string {
  const letters = [...text];
  const most = Math.max(3, Math.floor(pixels / 7));
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

const TOP = 56;
const DEEP = 212;

function Columns({ steps, width, label }: FormProps) {
  const all = steps[0]!.people;
  const count = steps.length;
  const column = Math.min(150, (width / count) * 0.55);
  const gap = count < 2 ? 0 : (width - column * count) / (count - 1);
  const deep = (people: number): number => partOf(people, all) * DEEP;
  const bottom = TOP + DEEP;
  return (
    <svg viewBox={`0 0 ${width} 320`} width={width} height={320} role="img" aria-label={label}>
      <Hatch />
      {steps.map((step, at) => {
        const x = at * (column + gap);
        const before = steps[at - 1];
        const top = bottom - deep(step.people);
        const openTop = top - deep(step.open);
        const isLast = at === count - 1;
        const room = isLast ? column : column + gap - 8;
        return (
          <g key={step.step} class="k1">
            {before !== undefined && (
              <>
                <path
                  class="soft"
                  d={`M${x - gap} ${bottom - deep(before.people)}L${x} ${top}V${bottom}H${x - gap}Z`}
                />
                <rect
                  class="lost"
                  x={x}
                  y={bottom - deep(before.people)}
                  width={column}
                  height={Math.max(0, openTop - bottom + deep(before.people))}
                />
                <rect
                  class="open-bar"
                  x={x + 0.5}
                  y={openTop}
                  width={column - 1}
                  height={deep(step.open)}
                  fill="url(#funnel-hatch)"
                />
                <Between step={step} before={before} x={x - gap / 2} isShown={gap >= 124} />
              </>
            )}
            <rect class="fill" x={x} y={top} width={column} height={deep(step.people)} />
            <text
              class="strong t-14"
              x={isLast && count > 1 ? width : x}
              y="20"
              text-anchor={isLast && count > 1 ? 'end' : 'start'}
            >
              {fitted(nameOf(step), isLast ? column + gap / 2 : room)}
            </text>
            <text
              class="mid"
              x={isLast && count > 1 ? width : x}
              y="40"
              text-anchor={isLast && count > 1 ? 'end' : 'start'}
            >
              {words.peopleAndPart(number(step.people), perCent(partOf(step.people, all)))}
            </text>
            <text x={x} y={bottom + 22}>
              {before === undefined ? words.everyone : words.left(number(step.left))}
            </text>
            {step.open > 0 && (
              <text x={x} y={bottom + 40}>
                {words.haveTime(number(step.open))}
              </text>
            )}
          </g>
        );
      })}
      <path class="base" d={`M0 ${bottom}H${width}`} />
    </svg>
  );
}

interface BetweenProps {
  readonly step: Step;
  readonly before: Step;
  readonly x: number;
  readonly isShown: boolean;
}

/** The part of the step before that reached this step, and the median time between. */
function Between({ step, before, x, isShown }: BetweenProps) {
  if (!isShown) return null;
  const median = step.median === null ? null : words.medianOf(duration(step.median));
  return (
    <>
      <rect class="between" x={x - 60} y="176" width="120" height={median === null ? 36 : 58} rx="8" />
      <text class="strong t-16" x={x} y="199" text-anchor="middle">
        {perCent(partOf(step.people, before.people))}
      </text>
      {median !== null && (
        <text x={x} y="220" text-anchor="middle">
          {median}
        </text>
      )}
    </>
  );
}

const ROW = 86;

function Bars({ steps, width, label }: FormProps) {
  const all = steps[0]!.people;
  const long = (people: number): number => partOf(people, all) * width;
  const height = steps.length * ROW - 20;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <Hatch />
      {steps.map((step, at) => {
        const y = at * ROW;
        const before = steps[at - 1];
        return (
          <g key={step.step} class="k1">
            <text class="strong t-14" x="0" y={y + 14}>
              {fitted(nameOf(step), width - 120)}
            </text>
            <text class="mid" x={width} y={y + 14} text-anchor="end">
              {`${number(step.people)} · ${perCent(partOf(step.people, all))}`}
            </text>
            <rect class="lost" x="0" y={y + 22} width={width} height="22" />
            <rect class="fill" x="0" y={y + 22} width={long(step.people)} height="22" />
            <rect
              class="open-bar"
              x={long(step.people)}
              y={y + 22.5}
              width={long(step.open)}
              height="21"
              fill="url(#funnel-hatch)"
            />
            {before !== undefined && (
              <text x="0" y={y + 60}>
                {words.ofStep(
                  perCent(partOf(step.people, before.people)),
                  number(before.step),
                  number(step.left),
                  number(step.open),
                )}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
