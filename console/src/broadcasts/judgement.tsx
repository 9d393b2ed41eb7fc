import { number, perCent } from '../format.ts';
import { Note } from '../parts/note.tsx';
import { quoted } from '../parts/quoted.ts';
import { type Broadcast, isRunning, partsOf } from './broadcast.ts';
import { compare, type Rate } from './wilson.ts';
import { words } from './words.ts';

/** The counts of the recipients of one message. */
export interface Column {
  readonly name: string;
  readonly delivered: number;
  /** Null: no launch counted clicks. */
  readonly clicked: Rate | null;
  readonly converted: Rate;
  /** They may still convert. */
  readonly inWindow: number;
  readonly value: string;
}

interface JudgementProps {
  readonly broadcast: Broadcast;
  readonly columns: readonly Column[];
  /** The event in words. */
  readonly goal: string;
}

/** Which variant does better, if that is certain: by clicks where they are counted, else by the event. */
export function Judgement({ broadcast, columns, goal }: JudgementProps) {
  const clicks = columns.flatMap(({ clicked }) => (clicked === null ? [] : [clicked]));
  const byClicks = clicks.length === columns.length;
  const measure = byClicks ? words.clicks : goal;
  const verdict = compare(byClicks ? clicks : columns.map(({ converted }) => converted));
  const waiting = byClicks ? 0 : columns.reduce((sum, { inWindow }) => sum + inWindow, 0);
  const { left } = partsOf(broadcast);
  const open = [
    isRunning(broadcast) && left > 0 ? words.noMessageYet(number(left)) : '',
    waiting > 0 ? words.haveTime(number(waiting)) : '',
  ].filter((text) => text !== '');
  const rest = open.length === 0 ? '' : ` ${words.waitFor(open.join(', '))}`;
  if (verdict.kind === 'leads')
    return (
      <Note kind={open.length === 0 ? 'good' : 'now'} what={words.leads(quoted(verdict.name), measure)}>
        <p>
          {words.apart(words.range(perCent(verdict.interval.low), perCent(verdict.interval.high)))}
          {rest}
        </p>
      </Note>
    );
  return (
    <Note kind="now" what={words.notSure}>
      <p>
        {verdict.kind === 'few' ? words.tooFew : words.overlap(measure)}
        {rest}
      </p>
    </Note>
  );
}
