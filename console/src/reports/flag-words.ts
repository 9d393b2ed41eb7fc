import { dayName } from '../format.ts';
import { counted } from '../parts/counted.ts';

/** The texts of the flags that mark broadcasts in a chart. */
export const flagWords = {
  one: (name: string, at: string) => `Broadcast ${name}, ${dayName(at)}`,
  several: (count: string, at: string) => `${count} broadcasts from ${dayName(at)}`,
  sent: (at: string, name: string, others: number) =>
    `Sent at ${at}: ${name}${others === 0 ? '' : ` and ${others} more`}`,
  launched: (at: string, people: string) => `${at} · ${people}`,
  people: (count: string) => counted(count, 'recipient'),
  more: (count: string) => `and ${count} more`,
  marked: (most: number) => `The ${most} broadcasts with the most recipients are marked; the table names all.`,
  latest: (count: string) => `Of all broadcasts, only the latest ${count} are looked at.`,
} as const;
