import { describe, expect, it } from 'vitest';
import { refusal, scriptedClient } from '../../support/scripted-client.ts';
import { event, events, later, queueOf, settled } from '../../support/scripted-queue.ts';

const TYPE_ERROR = new TypeError('fetch failed');

describe('a queue of events sends', () => {
  it('when a batch is full, without a wait', async () => {
    const { pass, add, bodies } = queueOf({ maxBatch: 3 });
    add(...events(1, 7));
    await pass(0);
    expect(bodies()).toEqual(['e1,e2,e3', 'e4,e5,e6']);
  });

  it('after a second what is less than a batch, and starts a second again with the next event', async () => {
    const { pass, add, bodies } = queueOf();
    add(event(1), event(2));
    await pass(999);
    expect(bodies()).toEqual([]);
    await pass(1);
    expect(bodies()).toEqual(['e1,e2']);
    await pass(5000);
    add(event(3));
    await pass(999);
    expect(bodies()).toEqual(['e1,e2']);
    await pass(1);
    expect(bodies()).toEqual(['e1,e2', 'e3']);
  });

  it('one request at a time, in order, and no tiny batches while an answer is awaited', async () => {
    const { queue, pass, add, answer, bodies } = queueOf({ maxBatch: 3 });
    const first = later();
    answer(first.promise);
    add(...events(1, 4));
    await pass(100);
    add(...events(5, 7));
    await pass(100);
    expect(bodies()).toEqual(['e1,e2,e3']);
    expect(queue.size).toBe(7);
    first.come();
    await pass(0);
    expect(bodies()).toEqual(['e1,e2,e3', 'e4,e5,e6']);
    await pass(1000);
    expect(bodies()).toEqual(['e1,e2,e3', 'e4,e5,e6', 'e7']);
    expect(queue.size).toBe(0);
  });
});

describe('a batch that fails', () => {
  it('is repeated with its key and bytes for as long as the failure may pass, with waits of at most 8 s', async () => {
    const { queue, pass, add, answer, sent, keys, failed } = queueOf();
    answer(TYPE_ERROR, ...Array.from({ length: 20 }, () => refusal(503, 'the log is not available, try again')));
    add(event(1));
    await pass(1000);
    for (let second = 0; second < 8 * 20; second++) await pass(1000);
    expect(sent).toHaveLength(22);
    expect(new Set(keys())).toEqual(new Set(['key 1']));
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect({ size: queue.size, failed }).toEqual({ size: 0, failed: [] });
  });

  it('waits as long as the service asks, also for more than a minute', async () => {
    const { pass, add, answer, sent } = queueOf();
    answer(refusal(503, 'maintenance', { headers: { 'retry-after': '300' } }));
    add(event(1));
    await pass(1000);
    await pass(299_999);
    expect(sent).toHaveLength(1);
    await pass(1);
    expect(sent).toHaveLength(2);
  });

  it('is handed back when its key is about to be forgotten', async () => {
    const { pass, add, answer, failed, sent } = queueOf();
    answer(TYPE_ERROR, TYPE_ERROR, TYPE_ERROR);
    add(event(1));
    await pass(1000);
    await pass(23 * 60 * 60_000);
    expect(sent).toHaveLength(2);
    expect(failed).toMatchObject([{ error: { name: 'ConnectionError' }, items: [event(1)] }]);
  });

  it('by single events hands these back, and sends the others under another key', async () => {
    const { queue, pass, add, answer, bodies, keys, failed } = queueOf();
    const details = [
      { path: '1.user_id', message: 'must be a positive integer' },
      { path: '1.event', message: 'is missing' },
      { path: '3', message: 'is no object' },
    ];
    answer(refusal(400, 'must be a positive integer (at 1.user_id)', { details }));
    add(...events(0, 4));
    await pass(1000);
    expect(bodies()).toEqual(['e0,e1,e2,e3,e4', 'e0,e2,e4']);
    expect(keys()).toEqual(['key 1', 'key 2']);
    expect(failed).toMatchObject([{ error: { status: 400, details }, items: [event(1), event(3)] }]);
    expect(await queue.close()).toEqual({ sent: 3, failed: 2 });
  });

  it('as a whole is handed back as a whole, and the next one is sent', async () => {
    const { queue, pass, add, answer, bodies, failed } = queueOf({ maxBatch: 2 });
    answer(refusal(401, 'API key invalid'), refusal(400, 'the body is no JSON'));
    add(...events(1, 6));
    await pass(1000);
    expect(bodies()).toEqual(['e1,e2', 'e3,e4', 'e5,e6']);
    expect(failed).toMatchObject([{ items: events(1, 2) }, { items: events(3, 4) }]);
    expect(await queue.close()).toEqual({ sent: 2, failed: 4 });
  });

  it.each([[null], [{}], [['wrong', 'worse']], [[{ loc: ['body', 0, 'user_id'], msg: 'wrong' }]], ['wrong']])(
    'with the details %j is handed back, and the next one is sent',
    async (details) => {
      const { queue, add, answer, bodies, failed } = queueOf({ maxBatch: 2 });
      answer({ status: 422, body: { error: 'wrong', details } });
      add(...events(1, 4));
      expect(await queue.close()).toEqual({ sent: 2, failed: 2 });
      expect(bodies()).toEqual(['e1,e2', 'e3,e4']);
      expect(failed).toMatchObject([{ error: { status: 422, details: [] }, items: events(1, 2) }]);
    },
  );

  it.each([[302], [401], [403], [404]])('with %i of a gateway is handed back after one request', async (status) => {
    const { queue, add, answer, bodies, failed } = queueOf({ maxBatch: 1 });
    answer({ status, body: { error: { code: status } } });
    add(...events(1, 2));
    expect(await queue.close()).toEqual({ sent: 1, failed: 1 });
    expect(bodies()).toEqual(['e1', 'e2']);
    expect(failed).toMatchObject([{ error: { status } }]);
  });

  it('with answers of a proxy for an hour is repeated with its key', async () => {
    const { pass, add, answer, sent, keys, failed } = queueOf();
    const answers = [{ status: 502, body: 'Bad Gateway' }, { status: 504, body: '' }, { body: '' }, { body: '{"ok":' }];
    for (let n = 0; n < 150; n++) answer(...answers);
    add(event(1));
    await pass(1000);
    for (let second = 0; second < 601; second++) await pass(8000);
    expect(sent).toHaveLength(601);
    expect(new Set(keys()).size).toBe(1);
    expect(failed).toEqual([]);
  });

  it('with an internal error of the service is handed back after ten repeats, for the sake of the next one', async () => {
    const { pass, add, answer, sent, failed } = queueOf({ maxBatch: 1 });
    answer(...Array.from({ length: 11 }, () => refusal(500, 'internal error')));
    add(...events(1, 2));
    for (let second = 0; second < 12; second++) await pass(8000);
    expect(sent).toHaveLength(12);
    expect(failed).toMatchObject([{ error: { status: 500, message: 'internal error' }, items: [event(1)] }]);
  });

  it('since it is too large is sent in halves, down to the one event that is too large alone', async () => {
    const { queue, pass, add, answer, bodies, failed } = queueOf();
    const tooLarge = refusal(413, 'the body is larger than 16777216 bytes');
    answer(tooLarge, tooLarge, tooLarge);
    add(...events(1, 3));
    await pass(1000);
    expect(bodies()).toEqual(['e1,e2,e3', 'e1,e2', 'e1', 'e2', 'e3']);
    expect(failed).toMatchObject([{ error: { status: 413 }, items: [event(1)] }]);
    expect(await queue.close()).toEqual({ sent: 2, failed: 1 });
  });
});

it('an error of onFailed does not stop the queue', async () => {
  const lines: unknown[][] = [];
  const log = console.error;
  console.error = (...line) => void lines.push(line);
  try {
    const onFailed = (): never => {
      throw new Error('a bug of the caller');
    };
    const { queue, add, answer, bodies } = queueOf({ maxBatch: 1, onFailed });
    answer(refusal(400, 'no'));
    add(...events(1, 2));
    expect(await queue.close()).toEqual({ sent: 1, failed: 1 });
    expect(bodies()).toEqual(['e1', 'e2']);
    expect(lines).toMatchObject([['botledger: failed to send 1 items', { message: 'a bug of the caller' }]]);
  } finally {
    console.error = log;
  }
});

describe('a receipt', () => {
  it('ends the wait for more items, and resolves when the service has the item', async () => {
    const { queue, answer, bodies } = queueOf();
    const first = later();
    answer(first.promise);
    queue.add(event(1));
    const { taken, sent } = queue.put(event(2));
    let isSent = false;
    const done = sent.then(() => {
      isSent = true;
    });
    await settled();
    expect({ taken, isSent, bodies: bodies() }).toEqual({ taken: true, isSent: false, bodies: ['e1,e2'] });
    first.come();
    await done;
  });

  it('also resolves if it is read after the outcome, any number of times', async () => {
    const { queue } = queueOf();
    const receipt = queue.put(event(1));
    await queue.flush();
    await receipt.sent;
    await Promise.all([receipt.sent, receipt.sent]);
  });

  it('of a refused item rejects with its error, and that of another item of the batch resolves', async () => {
    const { queue, answer } = queueOf();
    answer(refusal(400, 'wrong', { details: [{ path: '0.user_id', message: 'wrong' }] }));
    const [bad, good] = [queue.put(event(1)), queue.put(event(2))];
    await expect(bad.sent).rejects.toMatchObject({ status: 400 });
    await good.sent;
  });

  it('of an item that finds the queue full, or is left at the end of close, rejects; unawaited it ends no program', async () => {
    const { queue, answer, pass } = queueOf({ capacity: 1 });
    answer(TYPE_ERROR, TYPE_ERROR, TYPE_ERROR, TYPE_ERROR);
    const [waiting, full] = [queue.put(event(1)), queue.put(event(2))];
    void full.sent;
    void waiting.sent;
    expect(full.taken).toBe(false);
    await expect(full.sent).rejects.toThrow('the queue is full');
    const closed = queue.close(2000);
    await pass(2000);
    await closed;
    await expect(waiting.sent).rejects.toThrow('the queue was closed');
  });
});

describe('a full queue', () => {
  it('refuses events, counts them, and takes events again when it has sent some', async () => {
    const { queue, pass, add, answer } = queueOf({ capacity: 3, maxBatch: 2 });
    const first = later();
    answer(first.promise);
    expect(add(...events(1, 5))).toEqual([true, true, true, false, false]);
    await pass(0);
    // Events on their way count, too.
    expect(add(event(6))).toEqual([false]);
    expect(queue.dropped).toBe(3);
    first.come();
    await pass(0);
    expect(add(event(7), event(8), event(9))).toEqual([true, true, false]);
  });
});

describe('the end of a queue', () => {
  it('sends at once all that waits, then takes no more', async () => {
    const { queue, add, bodies } = queueOf();
    add(event(1), event(2));
    expect(await queue.close()).toEqual({ sent: 2, failed: 0 });
    expect(bodies()).toEqual(['e1,e2']);
    expect(() => queue.add(event(3))).toThrow('the queue is closed');
  });

  it('hands back after its time what has no outcome', async () => {
    const { queue, pass, add, answer, failed } = queueOf({ maxBatch: 2 });
    answer(TYPE_ERROR, TYPE_ERROR, TYPE_ERROR, TYPE_ERROR, TYPE_ERROR, TYPE_ERROR);
    add(...events(1, 3));
    const closed = queue.close(2000);
    await pass(1000);
    await pass(1000);
    expect(await closed).toEqual({ sent: 0, failed: 3 });
    expect(failed.map(({ items }) => items)).toEqual([events(1, 2), events(3, 3)]);
    expect(failed.map(({ error }) => String(error))).toEqual(
      Array.from({ length: 2 }, () => 'Error: the queue was closed, and 2000 ms later items had no outcome'),
    );
  });

  it('is not needed to send: flush waits for the events of before alone', async () => {
    const { queue, add, answer } = queueOf({ maxBatch: 1 });
    const [first, second] = [later(), later()];
    answer(first.promise, second.promise);
    add(event(1));
    const flushed = queue.flush();
    add(event(2));
    first.come();
    await flushed;
    expect(queue.size).toBe(1);
    second.come();
    await queue.flush();
    expect(queue.size).toBe(0);
  });

  it('is not needed to send: flush does, and the queue stays open', async () => {
    const { queue, add, bodies } = queueOf();
    add(event(1));
    await queue.flush();
    add(event(2));
    await queue.flush();
    expect(bodies()).toEqual(['e1', 'e2']);
    await queue.flush();
    expect(bodies()).toEqual(['e1', 'e2']);
  });
});

it('a queue of updates sends them to send-batch-update', async () => {
  const { client, sent } = scriptedClient({ sleep: () => new Promise(() => {}) });
  const queue = client.updateQueue();
  queue.add({ update: { update_id: 1 } });
  await queue.flush();
  expect(sent).toMatchObject([
    { url: 'http://service.test/v1/send-batch-update', body: '[{"update":{"update_id":1}}]' },
  ]);
});
