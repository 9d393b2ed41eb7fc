import type { MessagePort } from 'node:worker_threads';
import type { Part } from '../../columns/positions.ts';

/**
 * The threads that run one report together. Each takes the events of its part of the users, so that what they find adds up.
 * They take the same steps in the same order. The first thread, the leader, has begun the report and answers it. It has part 0.
 */
export interface Team extends Part {
  /** Computes a value in the leader's thread, and gives a clone of it to the others. */
  once<T>(compute: () => Promise<T>): Promise<T>;
  /** Gives the leader what each thread has found, its own first. Null: this thread is not the leader. */
  gather<T>(own: T): Promise<readonly T[] | null>;
}

/** The team of a report that one thread runs. */
export const ALONE: Team = { size: 1, part: 0, once: (compute) => compute(), gather: async (own) => [own] };

/** Another thread of the team has ended, or has failed. */
export class TeamBrokenError extends Error {
  override readonly name = 'TeamBrokenError';
}

/** The team as its leader has it. */
export function leadTeam(mailboxes: readonly Mailbox[]): Team {
  return {
    size: 1 + mailboxes.length,
    part: 0,
    async once(compute) {
      const value = await compute();
      for (const { send } of mailboxes) send(value);
      return value;
    },
    gather: async <T>(own: T) => [own, ...(await Promise.all(mailboxes.map(({ next }) => next<T>())))],
  };
}

/** The team as a helper has it. */
export function joinTeam({ send, next }: Mailbox, { part, size }: Pick<Team, 'part' | 'size'>): Team {
  return {
    size,
    part,
    once: () => next(),
    async gather(own) {
      send(own);
      return null;
    },
  };
}

/** Values to and from the thread at the other end of a port, in order. */
export interface Mailbox {
  send(value: unknown): void;
  /** @throws TeamBrokenError if the other end is closed before it has sent the value */
  next<T>(): Promise<T>;
}

export function mailbox(port: MessagePort): Mailbox {
  const arrived: unknown[] = [];
  let isClosed = false;
  let waiting: { resolve(value: unknown): void; reject(error: Error): void } | null = null;
  const broken = () => new TeamBrokenError('a thread that ran a part of the report has ended');
  port.on('message', (value: unknown) => {
    if (waiting === null) arrived.push(value);
    else waiting.resolve(value);
    waiting = null;
  });
  port.on('close', () => {
    isClosed = true;
    waiting?.reject(broken());
  });
  return {
    send: (value) => port.postMessage(value),
    next: <T>() =>
      new Promise<T>((resolve, reject) => {
        if (arrived.length > 0) resolve(arrived.shift() as T);
        else if (isClosed) reject(broken());
        else waiting = { resolve: (value) => resolve(value as T), reject };
      }),
  };
}
