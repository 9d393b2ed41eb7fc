import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activateBroadcast,
  type BroadcastContent,
  type BroadcastEvent,
  type BroadcastState,
  broadcast,
  cancelBroadcast,
  createBroadcast,
  saveBroadcast,
} from '../../../src/domain/broadcast/broadcast.ts';
import { BROADCAST_STATUSES, type BroadcastStatus } from '../../../src/domain/broadcast/broadcast-status.ts';
import {
  archiveBroadcast,
  deleteBroadcast,
  failBroadcast,
  finishBroadcast,
  freezeAudience,
  startResolution,
  startSending,
  stopBroadcast,
} from '../../../src/domain/broadcast/broadcast-steps.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/broadcast/settings.ts';
import type { Decision } from '../../../src/domain/decider.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { ifUnchanged } from '../../../src/processes/broadcasts/drive-broadcast.ts';
import { given } from '../../support/decider-specification.ts';

const NOW = 1_800_000_000_000;
const ACTIVATION = '01941f29-7c00-7000-8000-000000000001';
const id = 7;
const content = {
  name: 'Sale',
  message: { text: 'Hello' },
  segmentations: '{"include":[],"exclude":[]}',
  settings: DEFAULT_SETTINGS,
  date_send: null,
};
const created: BroadcastEvent = { type: 'broadcast_created', data: { id, type: 'sendMessage', ...content, at: 1 } };
const activated = (launch = 1, date_send: number | null = null): BroadcastEvent => ({
  type: 'broadcast_activated',
  data: { id, launch, date_send, activation: launch === 1 ? ACTIVATION : null, at: 2 },
});
const resolving: BroadcastEvent = { type: 'broadcast_resolution_started', data: { id, at: 3 } };
const frozen = (count = 10): BroadcastEvent => ({ type: 'broadcast_audience_frozen', data: { id, count, at: 4 } });
const sending = (launch = 1): BroadcastEvent => ({ type: 'broadcast_sending_started', data: { id, launch, at: 5 } });
const cancelled: BroadcastEvent = { type: 'broadcast_cancel_requested', data: { id, at: 6 } };
const stopped: BroadcastEvent = { type: 'broadcast_stopped', data: { id, error: null, at: 7 } };
const finished: BroadcastEvent = { type: 'broadcast_finished', data: { id, at: 8 } };
const failed: BroadcastEvent = { type: 'broadcast_failed', data: { id, error: 'missed', at: 9 } };

/** A way to each status. */
const WAY: Readonly<Record<BroadcastStatus, readonly BroadcastEvent[]>> = {
  0: [created],
  1: [created, activated()],
  6: [created, activated(), resolving],
  7: [created, activated(), resolving, frozen()],
  2: [created, activated(), resolving, frozen(), sending()],
  3: [created, activated(), resolving, frozen(), sending(), finished],
  4: [created, activated(), resolving, frozen(), sending(), cancelled, stopped],
  5: [created, activated(), resolving, frozen(), sending(), failed],
  8: [created, activated(), resolving, frozen(), sending(), cancelled],
};
const isReady = () => undefined;
const changes: BroadcastContent = { name: 'Other', message: { text: 'Bye' }, date_send: NOW + 1000 };

type Command = (state: BroadcastState) => Decision<BroadcastEvent>;
const COMMANDS = {
  save: (state) => saveBroadcast(state, changes),
  activate: (state) => activateBroadcast(state, {}, isReady, ACTIVATION, NOW),
  cancel: (state) => cancelBroadcast(state, NOW),
  startResolution: (state) => startResolution(state, NOW),
  freezeAudience: (state) => freezeAudience(state, 10, NOW),
  startSending: (state) => startSending(state, NOW),
  finish: (state) => finishBroadcast(state, NOW),
  stop: (state) => stopBroadcast(state, null, NOW),
  stopItself: (state) => stopBroadcast(state, 'too fast', NOW),
  fail: (state) => failBroadcast(state, 'missed', NOW),
} satisfies Record<string, Command>;
type CommandName = keyof typeof COMMANDS;

/**
 * Both tables of the interface and what decisions.md#broadcast-status add: from a status by a command to a status. What
 * is not named here is left as it is by callers' commands, and refused of the service's own.
 */
const TABLE: Readonly<Record<CommandName, Partial<Record<BroadcastStatus, BroadcastStatus>>>> = {
  save: { 0: 0 },
  activate: { 0: 1, 4: 1, 5: 1 },
  cancel: { 1: 0, 6: 8, 7: 8, 2: 8 },
  startResolution: { 1: 6 },
  freezeAudience: { 6: 7 },
  startSending: { 7: 2 },
  finish: { 2: 3 },
  stop: { 8: 4 },
  stopItself: { 8: 4, 2: 4 },
  fail: { 1: 5, 6: 5, 7: 5, 2: 5 },
};
const CALLERS: readonly CommandName[] = ['save', 'activate', 'cancel'];

describe('the archive of broadcasts', () => {
  it.each(BROADCAST_STATUSES)('takes a broadcast in %i unless something happens to it by itself', (status) => {
    const archived = given(broadcast, ...WAY[status]).when((state) => archiveBroadcast(state, true, NOW));
    if ([0, 3, 4, 5].includes(status))
      archived.yields({ type: 'broadcast_archived', data: { id, archived: true, at: NOW } });
    else archived.isRefused('conflict', 'id');
  });

  it('gives back what is launched, and tells nothing twice', () => {
    const inArchive: BroadcastEvent = { type: 'broadcast_archived', data: { id, archived: true, at: 9 } };
    expect(given(broadcast, created, inArchive).state()).toMatchObject({ archived: true });
    expect(given(broadcast, created, inArchive, activated()).state()).not.toHaveProperty('archived');
    given(broadcast, created, inArchive)
      .when((state) => archiveBroadcast(state, true, NOW))
      .yieldsNothing();
  });
});

describe('a deletion', () => {
  it.each(BROADCAST_STATUSES)('of a broadcast in %i is refused unless it is a draft', (status) => {
    const deleted = given(broadcast, ...WAY[status]).when((state) => deleteBroadcast(state, NOW));
    if (status === 0) deleted.yields({ type: 'broadcast_deleted', data: { id, at: NOW } });
    else deleted.isRefused('conflict', 'id');
  });

  it('leaves no broadcast', () => {
    const deleted: BroadcastEvent = { type: 'broadcast_deleted', data: { id, at: 9 } };
    expect(given(broadcast, created, deleted).state()).toBeNull();
  });
});

describe('the statuses of a broadcast', () => {
  const names = Object.keys(COMMANDS) as CommandName[];
  const cases = names.flatMap((name) => BROADCAST_STATUSES.map((status) => [name, status] as const));

  it.each(cases)('%s in %i', (name, status) => {
    const state = given(broadcast, ...WAY[status]).state();
    expect(state?.status).toBe(status);
    const to = TABLE[name][status];
    const specified = given(broadcast, ...WAY[status]).when(COMMANDS[name]);
    if (to !== undefined) {
      const decision = COMMANDS[name](state);
      if (decision instanceof Rejection) throw decision;
      expect(decision).not.toEqual([]);
      expect(decision.reduce(broadcast.evolve, state)?.status).toBe(to);
    } else if (CALLERS.includes(name)) specified.yieldsNothing();
    else specified.isRefused('conflict', 'status');
  });

  it.each(names)('%s of a broadcast that there is not', (name) => {
    given(broadcast).when(COMMANDS[name]).isRefused('not_found', 'id');
  });

  it('begin with creation, once', () => {
    const command = { id, type: 'sendMessage' as const, ...content, at: 1 };
    given(broadcast)
      .when((state) => createBroadcast(state, command))
      .yields(created);
    given(broadcast, created)
      .when((state) => createBroadcast(state, command))
      .isRefused('conflict', 'id');
  });

  it('are left only by rows of the table, whatever comes in whatever order', () => {
    const steps = fc.array(fc.constantFrom(...names), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (commands) => {
        let state: BroadcastState = given(broadcast, created).state();
        for (const name of commands) {
          const from = state!.status;
          const before = state!;
          const decision = COMMANDS[name](state);
          if (decision instanceof Rejection) {
            expect(decision.code).toBe('conflict');
            continue;
          }
          state = decision.reduce(broadcast.evolve, state);
          if (decision.length === 0) continue;
          // Later launches skip what is done, and go back to where they were.
          const later: Partial<Record<CommandName, BroadcastStatus>> = { startSending: 2, cancel: 4 };
          const to = from === 1 && before.launch > 1 ? (later[name] ?? TABLE[name][from]) : TABLE[name][from];
          const isSkip = name === 'startSending' && from === 1 && before.frozen !== null;
          expect(state!.status).toBe(isSkip ? 2 : to);
          // The audience is frozen once.
          if (before.frozen !== null) expect(state!.frozen).toBe(before.frozen);
          // No answer has an end before it comes.
          expect(state!.date_finish !== null).toBe([3, 4, 5].includes(state!.status));
        }
      }),
    );
  });
});

describe('a draft', () => {
  it('keeps the passed fields of a save, each as a whole', () => {
    given(broadcast, created)
      .when((state) => saveBroadcast(state, { message: { text: 'Bye' }, name: undefined }))
      .yields({ type: 'broadcast_saved', data: { id, message: { text: 'Bye' } } });
    const state = given(broadcast, created, {
      type: 'broadcast_saved',
      data: { id, message: { caption: 'x' }, date_send: NOW },
    }).state();
    expect(state).toMatchObject({ name: 'Sale', message: { caption: 'x' }, date_send: NOW, status: 0 });
    expect(state?.message).not.toHaveProperty('text');
  });

  it('is saved and activated in one go, at its date if that is to come', () => {
    given(broadcast, created)
      .when((state) => activateBroadcast(state, changes, isReady, ACTIVATION, NOW))
      .yields(
        { type: 'broadcast_saved', data: { id, ...changes } },
        {
          type: 'broadcast_activated',
          data: { id, launch: 1, date_send: NOW + 1000, activation: ACTIVATION, at: NOW },
        },
      );
    for (const date_send of [null, NOW - 1, NOW]) {
      const past = { ...created, data: { ...created.data, date_send } } as BroadcastEvent;
      given(broadcast, past)
        .when((state) => activateBroadcast(state, {}, isReady, ACTIVATION, NOW))
        .yields({
          type: 'broadcast_activated',
          data: { id, launch: 1, date_send: null, activation: ACTIVATION, at: NOW },
        });
    }
  });

  it('is neither saved nor activated when it is not ready, with the changes', () => {
    const notReady = new Rejection('invalid', 'message.text', 'text is required');
    given(broadcast, created)
      .when((state) =>
        activateBroadcast(state, changes, ({ name }) => (name === 'Other' ? notReady : undefined), ACTIVATION, NOW),
      )
      .isRefused('invalid', 'message.text');
  });

  it('that was cancelled is as it was before', () => {
    const before = given(broadcast, created).state();
    expect(given(broadcast, created, activated(1, NOW), cancelled).state()).toEqual(before);
  });
});

describe('a later launch', () => {
  it.each<[string, readonly BroadcastEvent[]]>([
    ['stopped', WAY[4]],
    ['failed', WAY[5]],
  ])('of one that was %s takes message and settings, and nothing else', (_, past) => {
    const settings = { ...DEFAULT_SETTINGS, intervalCap: 5 };
    given(broadcast, ...past)
      .when((state) =>
        activateBroadcast(state, { ...changes, settings, segmentations: '{}' }, isReady, ACTIVATION, NOW),
      )
      .yields(
        { type: 'broadcast_saved', data: { id, message: { text: 'Bye' }, settings } },
        { type: 'broadcast_activated', data: { id, launch: 2, date_send: null, activation: null, at: NOW } },
      );
  });

  it('does not resolve its audience again', () => {
    const again = [...WAY[4], activated(2)];
    given(broadcast, ...again)
      .when((state) => startResolution(state, NOW))
      .isRefused('conflict', 'status');
    given(broadcast, ...again)
      .when((state) => startSending(state, NOW))
      .yields({ type: 'broadcast_sending_started', data: { id, launch: 2, at: NOW } });
    expect(given(broadcast, ...again).state()).toMatchObject({ frozen: 10, activation: ACTIVATION });
  });

  it('resolves the audience when the first launch was cancelled before', () => {
    given(broadcast, created, activated(), resolving, cancelled, stopped, activated(2))
      .when((state) => startResolution(state, NOW))
      .yields({ type: 'broadcast_resolution_started', data: { id, at: NOW } });
    given(broadcast, created, activated())
      .when((state) => startSending(state, NOW))
      .isRefused('conflict', 'status');
  });

  it('names the saved segments that its audience is resolved with, and keeps them after a cancellation', () => {
    const first = [{ saved_segment_id: 3, revision: 2 }];
    const started = { type: 'broadcast_resolution_started', data: { id, saved_segments: first, at: NOW } } as const;
    given(broadcast, created, activated())
      .when((state) => startResolution(state, NOW, first))
      .yields(started);
    expect(given(broadcast, created, activated(), started).state()).toMatchObject({ saved_segments: first });
    given(broadcast, created, activated(), started, cancelled, stopped, activated(2))
      .when((state) => startResolution(state, NOW, [{ saved_segment_id: 3, revision: 5 }]))
      .yields(started);
  });

  it('that is cancelled before it is picked up is stopped again', () => {
    const past = [...WAY[5], activated(2), cancelled];
    expect(given(broadcast, ...past).state()).toMatchObject({ status: 4, launch: 1, date_finish: 6, error: null });
    given(broadcast, ...past)
      .when((state) => activateBroadcast(state, {}, isReady, ACTIVATION, NOW))
      .yields({ type: 'broadcast_activated', data: { id, launch: 2, date_send: null, activation: null, at: NOW } });
  });

  it('begins without the end and the error of the last launch', () => {
    expect(given(broadcast, ...WAY[5]).state()).toMatchObject({ error: 'missed', date_finish: 9 });
    expect(given(broadcast, ...WAY[5], activated(2)).state()).toMatchObject({ error: null, date_finish: null });
  });
});

describe('an end', () => {
  it('comes at once for an empty audience', () => {
    given(broadcast, created, activated(), resolving, frozen(0))
      .when((state) => finishBroadcast(state, NOW))
      .yields({ type: 'broadcast_finished', data: { id, at: NOW } });
  });

  it('has no reason but the cancellation where there was one', () => {
    given(broadcast, ...WAY[8])
      .when((state) => stopBroadcast(state, 'too fast', NOW))
      .yields({ type: 'broadcast_stopped', data: { id, error: null, at: NOW } });
    given(broadcast, ...WAY[2])
      .when((state) => stopBroadcast(state, 'too fast', NOW))
      .yields({ type: 'broadcast_stopped', data: { id, error: 'too fast', at: NOW } });
  });
});

describe('a step that uses what was read before', () => {
  const seen = given(broadcast, ...WAY[1]).state()!;
  const step = ifUnchanged(seen, (state, now) => startResolution(state, now, [{ saved_segment_id: 5, revision: 1 }]));

  it('is taken if nothing has changed', () => {
    given(broadcast, ...WAY[1])
      .when((state) => step(state, NOW))
      .yields({
        type: 'broadcast_resolution_started',
        data: { id, saved_segments: [{ saved_segment_id: 5, revision: 1 }], at: NOW },
      });
  });

  it('is not taken if the broadcast was cancelled, changed and activated since, though its status is the same', () => {
    const segmentations = '{"include":[{"type":"saved","config":{"saved_segment_id":7}}],"exclude":[]}';
    const changed: BroadcastEvent = { type: 'broadcast_saved', data: { id, segmentations } };
    const state = given(broadcast, ...WAY[1], cancelled, stopped, changed, activated(1, NOW + 1000)).state();
    expect(state).toMatchObject({ status: 1 });
    expect(step(state, NOW)).toBeInstanceOf(Rejection);
  });
});
