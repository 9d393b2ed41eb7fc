import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptEvent,
  acceptUpdate,
  acceptUser,
  advanceClock,
  ERROR_MEMORY_MS,
  type IntakeState,
  intakeState,
  isInTime,
  learnPayloads,
  nameAppearing,
  namedKeys,
  nameKeys,
  type PayloadState,
  payloadState,
  UPDATE_MEMORY_MS,
  utmOfVisit,
} from '../../../src/domain/intake/intake-fold.ts';
import type { Separators, Utm } from '../../../src/domain/intake/utm.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { foldIntake } from '../../support/intake-fold.ts';
import { cut, HOUR, partitionsOf, type Step, step } from '../../support/intake-logs.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** The decisions about a bot's intake, in the shape of the oracle. */
interface Decisions {
  readonly counted: Set<string>;
  readonly visits: { id: string; utm: string | null; first_seen: boolean }[];
  readonly users: { user_id: number; since: number }[];
  readonly unknown: Map<string, { date: number; resolved_at: number | null }>;
}

/** A bot's state in a read model's tables between two batches. */
interface Store {
  clock: number;
  separators: Separators;
  readonly updates: Map<number, number>;
  readonly users: Set<number>;
  readonly eventKeys: Set<string>;
  readonly codes: Set<string>;
  readonly waiting: Map<number, { id: string; at: number }[]>;
}

interface Loaded {
  readonly intake: IntakeState;
  readonly payloads: PayloadState;
  /** Events that wait for users that the batch may make known, and events that the batch adds. */
  readonly waiting: Map<number, { id: string; at: number }[]>;
}

/** Loads only the keys that the batch names, folds the batch and stores its rows, as a read model does. */
function applyBatch(store: Store, commits: readonly ReadCommit[], decisions: Decisions): void {
  const named = namedKeys();
  const appearing = new Set<number>();
  for (const event of commits.flatMap(({ events }) => events)) {
    nameKeys(named, event);
    nameAppearing(appearing, event);
  }
  const intake = intakeState(store.clock);
  const payloads = payloadState(store.separators);
  const waiting = new Map([...appearing].map((id) => [id, store.waiting.get(id) ?? []]));
  for (const id of named.users) if (store.users.has(id)) intake.knownUsers.add(id);
  for (const key of named.eventKeys) if (store.eventKeys.has(key)) intake.eventKeys.add(key);
  for (const payload of named.payloads) if (store.codes.has(payload)) payloads.codes.add(payload);
  for (const id of named.updateIds) if (store.updates.has(id)) intake.updates.set(id, store.updates.get(id)!);

  for (const commit of commits) foldCommit({ intake, payloads, waiting }, commit, decisions);

  store.clock = intake.clock;
  store.separators = payloads.separators;
  for (const id of intake.knownUsers) store.users.add(id);
  for (const key of intake.eventKeys) store.eventKeys.add(key);
  for (const code of payloads.addedCodes) store.codes.add(code);
  for (const [id, at] of intake.addedUpdates) store.updates.set(id, at);
  for (const [id, events] of waiting)
    store.waiting.set(id, appearing.has(id) ? events : [...(store.waiting.get(id) ?? []), ...events]);
  const hour = store.clock - (store.clock % HOUR);
  for (const [id, at] of store.updates) if (at < hour - UPDATE_MEMORY_MS) store.updates.delete(id);
}

function foldCommit({ intake, payloads, waiting }: Loaded, commit: ReadCommit, decisions: Decisions): void {
  const { at } = commit;
  const addUser = (user_id: number) => {
    decisions.users.push({ user_id, since: at });
    for (const event of waiting.get(user_id) ?? []) {
      if (!isInTime(intake, event.at)) continue;
      decisions.counted.add(event.id);
      decisions.unknown.get(event.id)!.resolved_at = at;
    }
    waiting.set(user_id, []);
  };
  for (const event of commit.events) {
    if (/^(intake|import)-/.test(commit.stream)) advanceClock(intake, at);
    learnPayloads(payloads, event);
    switch (event.type) {
      case 'custom_events_received':
      case 'target_events_received':
        for (const [i, item] of event.data.items.entries()) {
          const id = `${commit.id}/${i}`;
          const verdict = acceptEvent(intake, item, at);
          if (verdict === 'counts') decisions.counted.add(id);
          if (verdict === 'waits' || verdict === 'unknown_user')
            decisions.unknown.set(id, { date: at, resolved_at: null });
          if (verdict === 'waits') waiting.set(item.user_id, [...(waiting.get(item.user_id) ?? []), { id, at }]);
        }
        break;
      case 'updates_received':
        for (const [i, item] of event.data.items.entries()) {
          const id = `${commit.id}/${i}`;
          const accepted = acceptUpdate(intake, item, at);
          if (accepted?.userAppears) addUser(item.user_id);
          if (accepted === null || item.event_id === undefined) continue;
          decisions.counted.add(id);
          if (accepted.visitBy === null) continue;
          const utm = textOf(utmOfVisit(payloads, accepted.visitBy));
          decisions.visits.push({ id, utm, first_seen: accepted.userAppears });
        }
        break;
      case 'events_imported':
        for (const [i, item] of event.data.items.entries()) {
          if (acceptUser(intake, item.user_id)) addUser(item.user_id);
          if (acceptEvent(intake, item, at) !== 'repeat') decisions.counted.add(`${commit.id}/${i}`);
        }
        break;
      case 'users_imported':
      case 'referrals_imported':
        for (const { user_id } of event.data.items) if (acceptUser(intake, user_id)) addUser(user_id);
        break;
    }
  }
}

function textOf(utm: Utm | null): string | null {
  return utm && [utm.source, utm.medium, utm.campaign, utm.term, utm.content].map((field) => field ?? '').join('|');
}

/** Charges count once by the read model `events`, not by this fold. */
function withoutCharge(one: Step): Step {
  if (one.event.type !== 'updates_received') return one;
  const items = one.event.data.items.map(({ charge_id: _, ...item }) => item);
  return { ...one, event: { ...one.event, data: { items } } };
}

describe('the intake fold', () => {
  it('decides as the plain oracle does, however a log is cut into batches', () => {
    const log = fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }).map((steps) => steps.map(withoutCharge));
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(log, sizes, (steps, sizes) => {
        for (const [botId, key] of [
          [1, 'bot-a'],
          [2, 'bot-b'],
        ] as const) {
          const commits = partitionsOf(steps).get(key)!;
          const decisions: Decisions = { counted: new Set(), visits: [], users: [], unknown: new Map() };
          const store: Store = {
            clock: 0,
            separators: { pair: '_', value: '-' },
            updates: new Map(),
            users: new Set(),
            eventKeys: new Set(),
            codes: new Set(),
            waiting: new Map(),
          };
          for (const batch of cut(commits, sizes)) applyBatch(store, batch, decisions);

          const owner = partitionsOf([]).get(`owner-${botId}`)!;
          const expected = foldIntake([...owner, ...commits]);
          expect([...decisions.counted].sort()).toEqual(expected.events.map(({ id }) => id).sort());
          expect(decisions.users).toEqual(expected.users.map((user) => ({ ...user, bot_id: undefined })));
          expect(decisions.visits).toEqual(
            expected.visits.map((visit) => {
              const { id, utm, first_seen } = visit as Decisions['visits'][number];
              return { id, utm, first_seen };
            }),
          );
          const keptSince = store.clock - (store.clock % HOUR) - ERROR_MEMORY_MS;
          const kept = [...decisions.unknown].filter(([, { date }]) => date >= keptSince);
          expect(kept.map(([id, error]) => ({ id, ...error }))).toEqual(
            expected.errors.flatMap((row) => {
              const { id, kind, date, resolved_at } = row as Record<string, string | number | null>;
              return kind === 'unknown_user' ? [{ id, date, resolved_at }] : [];
            }),
          );
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
