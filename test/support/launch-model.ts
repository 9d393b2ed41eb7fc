import { expect } from 'vitest';
import {
  isAllAttempted,
  isMessageRefused,
  openPlaces,
  PLACE,
  type SendingEvent,
  type SendingState,
  sending,
} from '../../src/domain/broadcast/sending.ts';
import { Rejection } from '../../src/domain/rejection.ts';
import { entriesOf } from '../../src/processes/broadcasts/commit.ts';
import { type Delivery, endedWith } from '../../src/processes/broadcasts/deliver.ts';
import { step } from '../../src/processes/broadcasts/launch.ts';
import {
  beginLaunch,
  type Launch,
  type LaunchEffect,
  type LaunchEnd,
  type LaunchInput,
  type LaunchPlan,
} from '../../src/processes/broadcasts/launch-state.ts';
import type { PlatformStatus } from '../../src/processes/broadcasts/platform-health.ts';
import type { RecipientUser } from '../../src/queries/broadcast/recipient-users.ts';

/** The reducer of a launch between inputs that a test chooses, with the real decider as its log. Nothing here waits. */

export const ID = 7;
/** The chat at place 0 of the audience; the others follow. */
export const FIRST_CHAT = 100;
export const SENDER = 'a';
const WORKS: PlatformStatus = {
  waitMs: 0,
  probing: false,
  costly: false,
  pause: null,
  limited: { until: 0, lengthMs: null },
};
export const PLATFORMS = {
  works: WORKS,
  /** A 429. */
  limited: {
    waitMs: 700,
    probing: false,
    costly: false,
    pause: { until: 9000, error: null },
    limited: { until: 9000, lengthMs: null },
  },
  unreachable: { ...WORKS, waitMs: 500, probing: true, pause: { until: null, error: 'unreachable' } },
  /** The wait is over, and one call finds out. */
  probed: { ...WORKS, probing: true, pause: { until: null, error: 'unreachable' } },
  costly: { ...WORKS, probing: true, costly: true, pause: { until: null, error: 'no usable answer' } },
} satisfies Record<string, PlatformStatus>;

const refused = { outcome: 'not_delivered', reason: "Bad Request: can't parse", of_message: true } as const;
const DELIVERIES = {
  delivered: endedWith({ outcome: 'delivered', reason: null }),
  with_file: {
    ...endedWith({ outcome: 'delivered', reason: null }),
    files: [{ url: 'https://example.com/a.jpg', file_id: 'A' }],
  },
  blocked: { ...endedWith({ outcome: 'not_delivered', reason: 'blocked' }), userStatus: 'blocked' },
  refused: endedWith(refused),
  unknown: endedWith({ outcome: 'unknown', reason: 'HTTP 502' }),
  not_sent: {
    ...endedWith({ outcome: 'returned', reason: null }),
    botProblem: { type: 'not_sent', reason: 'ECONNREFUSED' },
  },
  limited: { ...endedWith({ outcome: 'returned', reason: null }), botProblem: { type: 'limited', retryAfterMs: 700 } },
  unauthorized: {
    ...endedWith({ outcome: 'returned', reason: null }),
    botProblem: { type: 'unauthorized', reason: 'Unauthorized' },
  },
} satisfies Record<string, Delivery>;

export type Answer = keyof typeof DELIVERIES;
export type Status = RecipientUser['status'] | 'no user';
export type Move =
  | { readonly type: 'due'; readonly afterMs: number }
  | { readonly type: 'turns'; readonly count: number }
  | { readonly type: 'answer'; readonly call: number; readonly answer: Answer }
  /** Completes one effect that takes time. */
  | { readonly type: 'complete'; readonly task: number; readonly ok: boolean; readonly status: Status }
  | { readonly type: 'platform'; readonly is: keyof typeof PLATFORMS }
  | { readonly type: 'rested' | 'failed' | 'cancelled' | 'aborted' | 'expired' };

interface Call {
  readonly claim: number;
  readonly place: number;
}

/** A driver whose I/O is moves of the test, and the rules that hold after each of them. */
export class World {
  log: SendingState = sending.initialState();
  readonly state: Launch;
  now = 0;
  platform: PlatformStatus = WORKS;
  readonly tasks: Extract<LaunchEffect, { type: 'record' | 'look_up' }>[] = [];
  readonly calls: Call[] = [];
  readonly called = new Set<string>();
  /** Claimed recipients that must not be called: the queue rested, or the launch ended. */
  readonly released = new Set<string>();
  /** Places whose call may have been made, and places without a call for a known reason. */
  readonly attempted = new Set<number>();
  readonly recorded = new Set<string>();
  /** Why the launch may end. */
  readonly causes = new Set<LaunchEnd['type']>();
  stopped = false;
  expired = false;
  end: LaunchEnd | null = null;

  constructor(
    readonly plan: LaunchPlan,
    isFailing: boolean,
  ) {
    this.state = beginLaunch(plan, this.log, isFailing);
  }

  give(input: LaunchInput): void {
    expect(this.end, 'an input after the end').toBe(null);
    if (input.type === 'rested') this.releaseWaiting();
    for (const effect of step(this.state, input, this.now)) this.perform(effect);
    // The claims of the log are waiting, under way, looked up or answered: none is lost, none is there twice.
    const known = this.state.waiting.length + this.calls.length + this.state.unrecorded.size + this.lookedUp();
    expect(known + this.recording(), 'recipients of open claims').toBe(openPlaces(this.log));
  }

  private perform(effect: LaunchEffect): void {
    expect(this.end, 'an effect after the end').toBe(null);
    switch (effect.type) {
      case 'call':
        this.call(effect);
        return;
      case 'record':
        expect(this.tasks.filter(({ type }) => type === 'record')).toEqual([]);
        this.checkEntries(effect);
        this.tasks.push(effect);
        return;
      case 'look_up':
        this.tasks.push(effect);
        return;
      case 'rest':
        expect(effect.ms).toBe(this.platform.waitMs);
        this.give({ type: 'rested' });
        return;
      case 'stop':
        expect(this.stopped).toBe(false);
        this.stopped = true;
        this.releaseWaiting();
        return;
      case 'end':
        this.checkEnd(effect.end);
        this.end = effect.end;
        return;
      case 'wake':
      case 'recovered':
        return;
    }
  }

  private call({ claim, place }: Call): void {
    const key = `${claim}/${place}`;
    expect(this.stopped, 'a call after the launch has ended').toBe(false);
    expect(this.released.has(key), 'a call of a released recipient').toBe(false);
    expect(this.called.has(key), 'a second call of one claim').toBe(false);
    expect(this.attempted.has(place), 'a call of a recipient that may have the message').toBe(false);
    expect(this.log.places[place]).toBe(PLACE.claimed);
    expect(this.log.claims.get(claim)?.sender).toBe(SENDER);
    expect(this.log.claims.get(claim)?.open.has(place), 'a call without an open claim').toBe(true);
    this.called.add(key);
    this.calls.push({ claim, place });
  }

  private checkEntries({ entries: { answered, claiming } }: Extract<LaunchEffect, { type: 'record' }>): void {
    const taken = [...answered].flatMap(([claim, list]) => list.map(({ place }) => ({ claim, place })));
    for (const { claim, place } of taken) {
      expect(
        this.calls.some((call) => call.place === place && call.claim === claim),
        'no answer yet',
      ).toBe(false);
      expect(this.log.claims.get(claim)?.open.has(place), 'an outcome without an open claim').toBe(true);
    }
    const mayClaim = !this.stopped && this.platform.waitMs <= 0 && this.now >= this.plan.opensAt;
    if (!mayClaim) expect(claiming.count, 'a claim that cannot be sent').toBe(0);
    if (claiming.count === 0) return;
    const open = openPlaces(this.log) - taken.length;
    if (this.platform.probing || this.state.trying) expect([open <= this.silent(), claiming.count]).toEqual([true, 1]);
    if (this.platform.costly || this.state.trying) expect(open, 'a claim while another may be lost').toBe(0);
    const most = Math.max(1, this.plan.cap / this.plan.message.units);
    expect(open + claiming.count - this.silent(), 'more than a second of sending').toBeLessThanOrEqual(most);
  }

  private checkEnd(end: LaunchEnd): void {
    expect(this.stopped).toBe(true);
    if (end.type === 'finished') expect(isAllAttempted(this.log, this.plan.chats.length)).toBe(true);
    else if (end.type !== 'failed' || !isMessageRefused(this.log, 1)) expect(this.causes).toContain(end.type);
    if (this.expired) return;
    expect([this.calls, openPlaces(this.log)], 'an end before the last outcome is recorded').toEqual([[], 0]);
  }

  apply(move: Move): void {
    switch (move.type) {
      case 'due':
        this.now += move.afterMs;
        this.give({ type: 'due', platform: this.platform });
        return;
      case 'turns':
        for (let n = 0; n < move.count; n++) this.give({ type: 'turn' });
        return;
      case 'answer':
        if (this.calls.length > 0) this.answer(this.calls.splice(move.call % this.calls.length, 1)[0]!, move.answer);
        return;
      case 'complete':
        if (this.tasks.length > 0) this.complete(move.task % this.tasks.length, move.ok, move.status);
        return;
      case 'platform':
        this.platform = PLATFORMS[move.is];
        return;
      case 'rested':
        this.give({ type: 'rested' });
        return;
      case 'failed':
        this.causes.add('broken');
        this.give({ type: 'failed', againMs: 4000 });
        return;
      case 'cancelled':
        this.causes.add('cancelled');
        this.give({ type: 'cancelled' });
        return;
      case 'aborted':
        this.causes.add('interrupted');
        this.give({ type: 'aborted' });
        return;
      case 'expired':
        if (!this.causes.has('interrupted')) return;
        this.expired = true;
        this.give({ type: 'expired' });
    }
  }

  answer({ claim, place }: Call, answer: Answer): void {
    const delivery: Delivery = DELIVERIES[answer];
    const { outcome, of_message } = delivery.answer;
    if (outcome !== 'returned') this.attempted.add(place);
    if (delivery.botProblem?.type === 'limited' && this.plan.onLimit.stop) this.causes.add('stopped');
    if (delivery.botProblem?.type === 'unauthorized' || of_message === true) this.causes.add('failed');
    // Then the reducer has the queue rest.
    if (this.platform.waitMs > 0) this.releaseWaiting();
    this.give({ type: 'answered', claim, place, delivery, platform: this.platform });
  }

  complete(index: number, ok: boolean, status: Status): void {
    const task = this.tasks.splice(index, 1)[0]!;
    if (task.type === 'record') this.append(task, ok);
    else this.found(task, ok ? status : null);
  }

  private append({ entries }: Extract<LaunchEffect, { type: 'record' }>, ok: boolean): void {
    if (!ok) {
      this.causes.add('broken');
      this.give({ type: 'not_appended', againMs: 300 });
      return;
    }
    const decision = entriesOf(this.log, entries);
    if (decision instanceof Rejection) throw decision;
    for (const [claim, list] of entries.answered)
      for (const { place } of list) {
        expect(this.recorded.has(`${claim}/${place}`), 'a second outcome of one claim').toBe(false);
        this.recorded.add(`${claim}/${place}`);
      }
    for (const stored of decision.map(sending.write)) {
      const event: SendingEvent = sending.read(JSON.parse(JSON.stringify(stored)));
      this.log = sending.evolve(this.log, event);
    }
    this.give({ type: 'appended', log: this.log, wrote: decision.length > 0 });
  }

  private found({ claim, chats }: Extract<LaunchEffect, { type: 'look_up' }>, status: Status | null): void {
    const { platform } = this;
    if (status === null) {
      this.give({ type: 'found', claim, users: null, platform });
      return;
    }
    // Claimed for a platform that worked: of several recipients none is called now.
    if (platform.waitMs > 0 || (platform.probing && chats.length > 1))
      for (const chat of chats) this.released.add(`${claim}/${chat - FIRST_CHAT}`);
    const user = status === 'no user' ? [] : chats.slice(0, 1).map((chat) => [chat, { status, fields: {} }] as const);
    if (status !== 'no user' && status !== 'active') this.released.add(`${claim}/${chats[0]! - FIRST_CHAT}`);
    this.give({ type: 'found', claim, users: new Map(user), platform });
  }

  /** Recipients that have joined the queue and were not called. */
  private releaseWaiting(): void {
    const lookedUp = new Set(
      this.tasks.filter(({ type }) => type === 'look_up').map((task) => 'claim' in task && task.claim),
    );
    for (const [claim, { open }] of this.log.claims)
      if (!lookedUp.has(claim)) for (const place of open) this.released.add(`${claim}/${place}`);
  }

  private silent(): number {
    return [...this.state.calls.values()].filter((since) => this.now - since > 1000).length;
  }

  private lookedUp(): number {
    return this.tasks.reduce((sum, task) => sum + (task.type === 'look_up' ? task.chats.length : 0), 0);
  }

  private recording(): number {
    return [...(this.state.recording?.entries.answered.values() ?? [])].reduce((sum, list) => sum + list.length, 0);
  }
}

/** From here on the platform and the log work. */
export function finish(world: World): void {
  world.platform = WORKS;
  for (let rounds = 0; world.end === null; rounds++) {
    expect(rounds, 'the launch does not end').toBeLessThan(500);
    world.apply({ type: 'due', afterMs: 100 });
    while (world.tasks.length > 0 && world.end === null) world.complete(0, true, 'active');
    if (world.end !== null) return;
    while (world.state.waiting.length > 0) world.give({ type: 'turn' });
    while (world.calls.length > 0) world.answer(world.calls.shift()!, 'delivered');
  }
}
