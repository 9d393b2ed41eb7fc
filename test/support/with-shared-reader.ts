import type { EventLog } from '../../src/log/port.ts';
import { SharedReader } from '../../src/log/shared-reader.ts';
import { ALL_CATEGORIES } from './log.ts';

/** The same log, whose subscribers share one reader. */
export function withSharedReader(log: EventLog, onError: (error: unknown) => void = throwIt): EventLog {
  const reader = new SharedReader(log, [...ALL_CATEGORIES, 'none'], {
    itemsOf: ({ events }) => events.length,
    onError,
  });
  return Object.assign(Object.create(log) as EventLog, { subscribe: reader.subscribe.bind(reader) });
}

function throwIt(error: unknown): void {
  throw error;
}
