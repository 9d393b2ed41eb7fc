import { describe, expect, test } from 'vitest';
import { type Answered, abandonClaims, answerBatch, claimBatch } from '../../../src/domain/broadcast/batches.ts';
import { botPause, pauseBot, pauseLeftMs } from '../../../src/domain/broadcast/bot-pause.ts';
import {
  isBeginning,
  isMessageRefused,
  pauseSending,
  resumeSending,
  type SendingEvent,
  type SendingState,
  sending,
} from '../../../src/domain/broadcast/sending.ts';
import type { Range } from '../../../src/domain/broadcast/sending-events.ts';
import { hasRefused, reopenRefused } from '../../../src/domain/broadcast/sending-reopened.ts';
import { given } from '../../support/decider-specification.ts';

const ID = 7;
const claimed = (claim: number, recipients: Range[], sender = 'a', launch = 1): SendingEvent => ({
  type: 'batch_claimed',
  data: { broadcast_id: ID, launch, claim, sender, recipients },
});
const answered = (claim: number, outcome: Answered['outcome'], recipients: Range[], more = {}): SendingEvent => ({
  type: 'batch_answered',
  data: { broadcast_id: ID, claim, outcomes: [{ outcome, reason: null, ...more, recipients }] },
});
const claim = (count: number, audience = 100, launch = 1) => ({
  broadcast_id: ID,
  launch,
  sender: 'a',
  audience,
  count,
});
const PAUSE = { until: 5000, error: null, limited: true };
const delivered = (...places: number[]): Answered[] =>
  places.map((place) => ({ place, outcome: 'delivered', reason: null }));

describe('a claim', () => {
  test('claims the next recipients', () => {
    given(sending)
      .when((state) => claimBatch(state, claim(5)))
      .yields(claimed(1, [[0, 4]]));
    given(sending, claimed(1, [[0, 4]]), answered(1, 'delivered', [[0, 4]]))
      .when((state) => claimBatch(state, claim(5)))
      .yields(claimed(2, [[5, 9]]));
  });

  test('claims returned recipients first', () => {
    given(
      sending,
      claimed(1, [[0, 9]]),
      answered(1, 'returned', [
        [1, 1],
        [3, 4],
      ]),
      answered(1, 'delivered', [[0, 0]]),
    )
      .when((state) => claimBatch(state, claim(4)))
      .yields(
        claimed(2, [
          [1, 1],
          [3, 4],
          [10, 10],
        ]),
      );
  });

  test('claims no recipient beyond the audience, and none of an empty one', () => {
    given(sending)
      .when((state) => claimBatch(state, claim(5, 3)))
      .yields(claimed(1, [[0, 2]]));
    given(sending, claimed(1, [[0, 2]]))
      .when((state) => claimBatch(state, claim(5, 3)))
      .yieldsNothing();
  });

  test('takes no more than ten until one of the first ten is not refused for the message itself', () => {
    const refused = { reason: 'no', of_message: true };
    given(sending)
      .when((state) => claimBatch(state, claim(50)))
      .yields(claimed(1, [[0, 9]]));
    const nine = [claimed(1, [[0, 9]]), answered(1, 'not_delivered', [[0, 8]], refused)];
    given(sending, ...nine)
      .when((state) => claimBatch(state, claim(50)))
      .yieldsNothing();
    given(sending, ...nine, answered(1, 'delivered', [[9, 9]]))
      .when((state) => claimBatch(state, claim(50)))
      .yields(claimed(2, [[10, 59]]));
    const ten = [...nine, answered(1, 'not_delivered', [[9, 9]], refused)];
    given(sending, ...ten)
      .when((state) => claimBatch(state, claim(50)))
      .yieldsNothing();
    expect(isMessageRefused(given(sending, ...ten).state(), 1)).toBe(true);
    // Another launch may have another message.
    expect(isMessageRefused(given(sending, ...ten).state(), 2)).toBe(false);
    expect(isBeginning(given(sending, ...ten).state(), 2)).toBe(true);
    given(sending, ...ten)
      .when((state) => claimBatch(state, claim(50, 100, 2)))
      .yields(claimed(2, [[10, 19]], 'a', 2));
  });

  test('recipients that were not called do not count among the first ten', () => {
    const known = { reason: 'blocked', without_call: true };
    given(sending, claimed(1, [[0, 9]]), answered(1, 'not_delivered', [[0, 9]], known))
      .when((state) => claimBatch(state, claim(50)))
      .yields(claimed(2, [[10, 19]]));
  });
});

describe('a later launch', () => {
  const ofMessage = { reason: 'no', of_message: true };
  const first = [
    claimed(1, [[0, 9]]),
    answered(1, 'not_delivered', [[0, 1]], ofMessage),
    answered(1, 'not_delivered', [[2, 2]], { reason: 'chat not found' }),
    answered(1, 'unknown', [[3, 3]]),
    answered(1, 'not_delivered', [[4, 4]], ofMessage),
    answered(1, 'delivered', [[5, 9]]),
  ];
  const reopened: SendingEvent = {
    type: 'recipients_reopened',
    data: {
      broadcast_id: ID,
      launch: 2,
      recipients: [
        [0, 1],
        [4, 4],
      ],
    },
  };

  test('reopens recipients that were refused because of the message, once, and no others', () => {
    const specification = given(sending, ...first).when((state) => reopenRefused(state, ID, 2));
    specification.yields(reopened);
    specification.isIdempotent();
    given(sending, ...first)
      .when((state) => reopenRefused(state, ID, 1))
      .yieldsNothing();
    expect(given(sending, ...first, reopened).state()).toMatchObject({ attempted: 7, refused: 0 });
  });

  test('begins when it reopens: after that a sender of the earlier launch claims no recipient, and its late pause changes nothing', () => {
    const late: SendingEvent = {
      type: 'sending_paused',
      data: { broadcast_id: ID, launch: 1, until: null, limited: true, error: 'away' },
    };
    for (const events of [
      [...first, reopened],
      [...first, reopened, late],
    ]) {
      given(sending, ...events)
        .when((state) => claimBatch(state, claim(4)))
        .isRefused('conflict', 'launch');
      given(sending, ...events)
        .when((state) => pauseSending(state, ID, 1, { until: 5000, error: null, limited: true }))
        .yieldsNothing();
      expect(given(sending, ...events).state()).toMatchObject({ launch: 2, limited: false });
    }
  });

  test('reopens no recipient for an earlier launch that has not claimed', () => {
    const third: SendingEvent = { type: 'sending_paused', data: { broadcast_id: ID, launch: 3, ...PAUSE } };
    given(sending, ...first, third)
      .when((state) => reopenRefused(state, ID, 2))
      .yieldsNothing();
  });

  test('claims them first, and reopens no recipient once it has claimed', () => {
    given(sending, ...first, reopened)
      .when((state) => claimBatch(state, claim(4, 100, 2)))
      .yields(
        claimed(
          2,
          [
            [0, 1],
            [4, 4],
            [10, 10],
          ],
          'a',
          2,
        ),
      );
    const second = [claimed(2, [[0, 0]], 'a', 2), answered(2, 'not_delivered', [[0, 0]], ofMessage)];
    given(sending, ...first, reopened, ...second)
      .when((state) => reopenRefused(state, ID, 2))
      .yieldsNothing();
  });

  test('ends the claims of an earlier one', () => {
    given(sending, ...first, claimed(2, [[10, 10]], 'a', 2))
      .when((state) => claimBatch(state, claim(4)))
      .isRefused('conflict', 'launch');
  });

  test('reopens in parts that every engine takes', () => {
    const size = 30_000;
    const odd = Array.from({ length: size / 2 }, (_, i): Range => [2 * i, 2 * i]);
    let state = given(
      sending,
      claimed(1, [[0, size - 1]]),
      answered(1, 'not_delivered', odd, ofMessage),
      answered(
        1,
        'delivered',
        odd.map(([place]): Range => [place + 1, place + 1]),
      ),
    ).state();
    const parts: number[] = [];
    for (; hasRefused(state, 2); ) {
      const [event] = reopenRefused(state, ID, 2);
      parts.push(event?.type === 'recipients_reopened' ? event.data.recipients.length : 0);
      state = sending.evolve(state, event!);
    }
    expect(parts).toEqual([10_000, 5000]);
    const first = { calls: 1, refusals: 0 };
    expect(claimBatch({ ...state, first }, claim(size, size, 2))).toEqual([claimed(2, odd, 'a', 2)]);
  });

  test('claims reopened recipients about as fast as new ones', () => {
    const size = 100_000;
    const every: Range[] = [[0, size - 1]];
    const fresh = sending.initialState();
    const past = [
      claimed(1, every),
      answered(1, 'not_delivered', every, ofMessage),
      { ...reopened, data: { ...reopened.data, recipients: every } } as SendingEvent,
    ];
    /** How long claims of 20 take, ms. */
    const timeOf = (state: SendingState): number => {
      const from = performance.now();
      for (let n = 2; n < 2 + size / 20; n++) {
        const [event] = claimBatch(state, claim(20, size, 2)) as SendingEvent[];
        state = sending.evolve(state, event!);
        const range = event!.type === 'batch_claimed' ? event!.data.recipients : [];
        state = sending.evolve(state, answered(n, 'delivered', range));
      }
      return performance.now() - from;
    };
    const ofNew = timeOf({ ...fresh, lastClaim: 1 });
    const ofReopened = timeOf(past.reduce(sending.evolve, sending.initialState()));
    expect(ofReopened / ofNew).toBeLessThan(20);
  });
});

describe('an answer', () => {
  test('is written once, by outcome and reason', () => {
    const list: Answered[] = [
      { place: 2, outcome: 'unknown', reason: 'x' },
      ...delivered(1, 0, 4),
      { place: 3, outcome: 'unknown', reason: 'x' },
    ];
    const specification = given(sending, claimed(1, [[0, 5]])).when((state) => answerBatch(state, ID, 1, list));
    specification.yields({
      type: 'batch_answered',
      data: {
        broadcast_id: ID,
        claim: 1,
        outcomes: [
          {
            outcome: 'delivered',
            reason: null,
            recipients: [
              [0, 1],
              [4, 4],
            ],
          },
          { outcome: 'unknown', reason: 'x', recipients: [[2, 3]] },
        ],
      },
    });
    specification.isIdempotent();
  });

  test('tells the ids of files that are new', () => {
    const files = [{ url: 'https://x', file_id: 'f' }];
    const first = given(sending, claimed(1, [[0, 1]])).when((state) => answerBatch(state, ID, 1, delivered(0), files));
    const data = {
      broadcast_id: ID,
      claim: 1,
      outcomes: [{ outcome: 'delivered' as const, reason: null, recipients: [[0, 0]] as Range[] }],
    };
    first.yields({ type: 'batch_answered', data: { ...data, files } });
    given(sending, claimed(1, [[0, 1]]), { type: 'batch_answered', data: { ...data, files } })
      .when((state) => answerBatch(state, ID, 1, delivered(1), files))
      .yields(answered(1, 'delivered', [[1, 1]]));
  });

  test('of an abandoned claim is refused', () => {
    const abandoned: SendingEvent = {
      type: 'batch_abandoned',
      data: { broadcast_id: ID, claim: 1, recipients: [[0, 5]] },
    };
    given(sending, claimed(1, [[0, 5]]), abandoned)
      .when((state) => answerBatch(state, ID, 1, delivered(0)))
      .isRefused('conflict', 'claim');
  });
});

test('a new sender abandons the open claims of others, and only those', () => {
  const specification = given(
    sending,
    claimed(1, [[0, 5]], 'b'),
    answered(1, 'delivered', [[0, 2]]),
    claimed(2, [[6, 7]], 'b'),
    claimed(3, [[8, 9]], 'a'),
  ).when((state) => abandonClaims(state, ID, 'a'));
  specification.yields(
    { type: 'batch_abandoned', data: { broadcast_id: ID, claim: 1, recipients: [[3, 5]] } },
    { type: 'batch_abandoned', data: { broadcast_id: ID, claim: 2, recipients: [[6, 7]] } },
  );
  specification.isIdempotent();
});

test('a pause is recorded once, and so is its end', () => {
  const pause = { until: 5000, error: null, limited: true };
  const paused = given(sending).when((state) => pauseSending(state, ID, 1, pause));
  paused.yields({ type: 'sending_paused', data: { broadcast_id: ID, launch: 1, ...pause } });
  paused.isIdempotent();
  const event: SendingEvent = { type: 'sending_paused', data: { broadcast_id: ID, launch: 1, ...pause } };
  const resumed = given(sending, event).when((state) => resumeSending(state, ID));
  resumed.yields({ type: 'sending_resumed', data: { broadcast_id: ID } });
  resumed.isIdempotent();
  expect(given(sending, event).state().limited).toBe(true);
  // Until the end of the launch.
  expect(given(sending, event, claimed(1, [[0, 0]], 'a', 2)).state().limited).toBe(false);
});

test('a pause of the bot lasts its own length at most, whatever the clock says', () => {
  const pause = { until: 20_000, lengthMs: 6000 };
  expect([14_000, 17_000, 20_000, 99_000].map((now) => pauseLeftMs(pause, now))).toEqual([6000, 3000, 0, 0]);
  expect(pauseLeftMs(pause, 20_000 - 3_600_000), 'the clock was set back').toBe(0);
  expect(pauseLeftMs({ until: 20_000, lengthMs: null }, 14_000), 'recorded by an earlier program').toBe(6000);
});

test('a pause of the bot is recorded once, and is never made shorter', () => {
  const paused = given(botPause).when((state) => pauseBot(state, { until: 5000, lengthMs: 3000 }));
  paused.yields({ type: 'bot_paused', data: { until: 5000, length_ms: 3000 } });
  paused.isIdempotent();
  given(botPause, { type: 'bot_paused', data: { until: 5000, length_ms: 3000 } })
    .when((state) => pauseBot(state, { until: 4000, lengthMs: 3000 }))
    .yieldsNothing();
});
