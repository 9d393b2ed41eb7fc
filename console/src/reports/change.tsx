import type { Value } from '../api.ts';
import { cell, number, perCent } from '../format.ts';
import { changeOf } from './change-of.ts';
import { words } from './words.ts';

interface ChangeProps {
  readonly now: Value | undefined;
  readonly before: Value | undefined;
}

/** By how much a value is more or less than before: an arrow, a per cent, a colour. */
export function Change({ now, before }: ChangeProps) {
  const change = changeOf(now, before);
  if (change === null || change.part === null) return <span class="quiet-text">–</span>;
  const { difference, part } = change;
  const sign = Math.sign(part);
  const text = sign === 0 ? words.same : `${sign > 0 ? '▲' : '▼'} ${perCent(Math.abs(part))}`;
  return (
    <span class={sign === 0 ? 'flat' : sign > 0 ? 'up' : 'down'} title={signed(difference)}>
      {text}
    </span>
  );
}

const signed = (difference: number | string): string => `${Number(difference) > 0 ? '+' : ''}${number(difference)}`;

/** A change, and the value before it. */
export function ChangeFrom({ now, before }: ChangeProps) {
  return (
    <span>
      <Change now={now} before={before} /> <span class="quiet-text">{words.fromBefore(cell(before, 'number'))}</span>
    </span>
  );
}
