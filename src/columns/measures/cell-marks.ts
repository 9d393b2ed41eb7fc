import type { Measure } from '../../domain/reports/report.ts';
import { type Chunk, type CodedName, indexesOf, numbersOf } from '../chunk.ts';
import { decimalsOf } from '../property-codes.ts';
import { decimalColumn } from './property.ts';
import type { EventTally } from './tally.ts';

interface UsersOptions {
  readonly line: number;
  /** Null: all buckets. */
  readonly bucket: number | null;
  /** Users of the bot. */
  readonly users: number;
}

/**
 * Collects the users of the events that contribute to a measure of one line. No measure runs at the same time, so none
 * is slower.
 */
export function usersTally(
  measure: Measure,
  { line, bucket: asked, users }: UsersOptions,
): EventTally & { indexes(): readonly number[] } {
  const isUser = new Uint8Array(users);
  const column = contributingColumn(measure);
  let usersAt: Uint32Array = new Uint32Array(0);
  let contributes = (_at: number): boolean => true;
  return {
    columns: column === null ? ['user_idx'] : ['user_idx', column],
    open(chunk) {
      usersAt = indexesOf(chunk, 'user_idx');
      if (column !== null) contributes = hasValue(chunk, column);
    },
    add(bucket, positions, lines, from, to) {
      if (asked !== null && bucket !== asked) return;
      for (let i = from; i < to; i++) {
        const at = positions[i]!;
        if ((lines === null ? 0 : lines[i]!) === line && contributes(at)) isUser[usersAt[at]!] = 1;
      }
    },
    indexes() {
      const found: number[] = [];
      for (let user = isUser.indexOf(1); user >= 0; user = isUser.indexOf(1, user + 1)) found.push(user);
      return found;
    },
  };
}

type Contributing = CodedName | 'session' | 'app_session';

/** The column without a value of which an event does not contribute; null: every event does. */
function contributingColumn(measure: Measure): Contributing | null {
  if (measure.type === 'property') return decimalColumn(measure.field);
  return measure.type === 'uniques' && measure.of !== 'user' ? measure.of : null;
}

function hasValue(chunk: Chunk, column: Contributing): (at: number) => boolean {
  if (column === 'session' || column === 'app_session') {
    const sessions = numbersOf(chunk, column);
    return (at) => !Number.isNaN(sessions[at]!);
  }
  const { codes, values } = decimalsOf(chunk, column);
  return (at) => values[codes[at]!] !== null;
}
