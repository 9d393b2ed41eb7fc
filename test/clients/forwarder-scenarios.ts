import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { processed } from '../support/processes.ts';
import type { ForwarderRun, ForwarderTask, Step } from './forwarder-task.ts';
import type { Stage, Surroundings } from './stage.ts';

export interface ForwarderScene extends Stage, Surroundings {
  /** Runs the framework's program with these steps, and closes its middleware. */
  run(steps: readonly Step[], options?: Partial<ForwarderTask>): Promise<ForwarderRun>;
  /** Runs it with these steps, a second after which it kills itself. */
  runUntilKilled(steps: readonly Step[], options?: Partial<ForwarderTask>): Promise<void>;
}

const FLUSH: Step = { do: 'flush' };
const DATE = 1_767_225_600;

/** An update with a message of a user, with a field that no framework knows. */
function message(update_id: number, userId: number, text = 'hello') {
  const entities = text.startsWith('/') ? [{ type: 'bot_command', offset: 0, length: text.split(' ')[0]!.length }] : [];
  const person = { id: userId, first_name: `User ${userId}` };
  const from = { ...person, is_bot: false };
  const chat = { ...person, type: 'private' };
  return {
    update_id,
    message: {
      message_id: update_id,
      date: DATE,
      chat,
      from,
      text,
      ...(entities.length > 0 && { entities }),
      new_field: [1],
    },
  };
}

/** An update without a user. */
const channelPost = (update_id: number) => ({
  update_id,
  channel_post: { message_id: update_id, date: DATE, chat: { id: -100, type: 'channel', title: 'News' }, text: 'News' },
});

const update = (given: object, ...names: string[]): Step => ({
  do: 'update',
  update: given,
  events: names.map((name) => ({ name })),
});

const pathOf = ({ path }: { readonly path: string }): string => path.split('?')[0]!;

/** The items that arrived at a path, in order. */
function itemsAt({ proxy }: ForwarderScene, path: string): Readonly<Record<string, unknown>>[] {
  return proxy.arrived.filter((each) => pathOf(each) === path).flatMap(({ body }) => JSON.parse(body));
}
const updatesAt = (scene: ForwarderScene) => itemsAt(scene, '/v1/send-batch-update');
const eventsAt = (scene: ForwarderScene) => itemsAt(scene, '/v1/send-event');
const keysAt = (scene: ForwarderScene): unknown[] => eventsAt(scene).map(({ event_key }) => event_key);

async function balanceOf(scene: ForwarderScene, user: number): Promise<unknown[]> {
  await processed(scene.service, accruals.name);
  await scene.service.projected();
  const { balance } = await scene.read(`/v1/referral/balance?user_id=${user}`);
  return (balance as { available: unknown }[]).map(({ available }) => available);
}

/** The rules of docs/forwarder.md, by their numbers. */
export const forwarderScenarios: Readonly<Record<string, (scene: ForwarderScene) => Promise<void>>> = {
  async '1: each update goes out as the platform sent it, with the time of its receipt, in order'(scene) {
    const updates = [message(10_001, 1), channelPost(10_002), message(10_003, 2)];
    await scene.run([...updates.map((each) => update(each)), FLUSH]);
    const sent = updatesAt(scene);
    expect(sent.map((item) => item['update'])).toEqual(updates);
    for (const { date } of sent) {
      expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Math.abs(Date.parse(String(date)) - Date.now())).toBeLessThan(60_000);
    }
  },

  async '1: no update goes out where the platform calls the webhook'(scene) {
    await scene.run([update(message(10_001, 1), 'opened'), FLUSH], { forward_updates: false });
    expect(updatesAt(scene)).toEqual([]);
    expect(keysAt(scene)).toEqual(['update 10001 opened 0']);
  },

  async '2: the bot continues when the queue is full or closed, and onFailed gets the refused items'(scene) {
    const steps: Step[] = [
      update(message(10_001, 1), 'opened', 'read'),
      update(message(10_002, 1)),
      { do: 'close' },
      update(message(10_003, 1), 'bought'),
    ];
    const { results, failed } = await scene.run(steps, { capacity: 1 });
    expect(results.slice(0, 4).map(({ handled }) => handled)).toEqual([
      [{ taken: true }, { taken: false }],
      [],
      undefined,
      [{ taken: false }],
    ]);
    const [full, closed] = ['the queue is full', 'the queue is closed'];
    expect(failed).toEqual([full, full, closed, closed]);
    expect(updatesAt(scene).map((item) => item['update'])).toEqual([message(10_001, 1)]);
    expect(keysAt(scene)).toEqual(['update 10001 opened 0']);
  },

  async '3: an update without a user has tools, and an event there needs a user'(scene) {
    const events = [{ name: 'opened' }, { name: 'opened', fields: { user_id: 1 } }];
    const { results } = await scene.run([{ do: 'update', update: channelPost(10_001), events, links: 1 }, FLUSH]);
    const error = 'the update 10001 has no user';
    expect(results[0]).toEqual({ handled: [{ error }, { taken: true }, { error }] });
    expect(eventsAt(scene)).toMatchObject([{ event: 'opened', user_id: 1 }]);
  },

  async '4: an event has the user, the present and a key, unless its fields say otherwise'(scene) {
    const fields = { value_num: 2000, unit: 'USD', user_id: 2, date: '2026-01-01T00:00:00.000Z', event_key: 'order 1' };
    const events = [{ name: 'opened' }, { name: 'paid', fields }, { name: 'closed', fields: { event_key: null } }];
    await scene.run([{ do: 'update', update: message(10_001, 1), events }, FLUSH]);
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(eventsAt(scene)).toEqual([
      { event: 'opened', user_id: 1, date, event_key: 'update 10001 opened 0' },
      { event: 'paid', ...fields },
      { event: 'closed', user_id: 1, date, event_key: null },
    ]);
  },

  async '5: events of one name in one update have different keys, and each counts'(scene) {
    await scene.run([update(message(10_001, 1), 'opened', 'read', 'opened'), FLUSH]);
    expect(keysAt(scene)).toEqual(['update 10001 opened 0', 'update 10001 read 0', 'update 10001 opened 1']);
    expect(await scene.counts()).toMatchObject({ opened: 2, read: 1 });
  },

  async '5: keys of the longest names are apart, and are taken'(scene) {
    const [first, second] = [`${'😀'.repeat(249)}a`, `${'😀'.repeat(249)}b`];
    const { failed } = await scene.run([update(message(10_001, 1), first, second), FLUSH]);
    expect(keysAt(scene)).toEqual([0, 1].map((n) => `update 10001 ${'😀'.repeat(200)} ${n}`));
    expect(failed).toEqual([]);
    expect(await scene.counts()).toMatchObject({ [first]: 1, [second]: 1 });
  },

  async '6: an update that comes again counts its events once, and pays the referrer once'(scene) {
    await scene.earn('5');
    const code = await scene.call.codeFor(1);
    scene.proxy.plan();
    const bought = update(message(10_002, 900), 'Order');
    await scene.run([update(message(10_001, 900, `/start ${code}`)), bought, FLUSH, bought, FLUSH]);
    expect(keysAt(scene)).toEqual(['update 10002 Order 0', 'update 10002 Order 0']);
    expect(await balanceOf(scene, 1)).toEqual([10]);
  },

  async '6: a handler that fails and takes another branch at redelivery loses no event'(scene) {
    const given = message(10_001, 1);
    const failing: Step = { do: 'update', update: given, events: [{ name: 'tried' }], fails: true };
    await scene.run([failing, FLUSH, update(given, 'paid', 'tried'), FLUSH]);
    expect(keysAt(scene)).toEqual(['update 10001 tried 0', 'update 10001 paid 0', 'update 10001 tried 0']);
    expect(await scene.counts()).toMatchObject({ tried: 1, paid: 1 });
  },

  async '7: a purchase waits for the visit that brought its user, though the batch with the visit failed first'(scene) {
    await scene.earn('5');
    const code = await scene.call.codeFor(1);
    scene.proxy.plan({ status: 503, error: 'overloaded' });
    const visit = update(message(10_001, 900, `/start ${code}`));
    const { failed } = await scene.run([visit, update(message(10_002, 900), 'Order'), FLUSH]);
    expect(failed).toEqual([]);
    expect(scene.proxy.arrived.map(pathOf)).toEqual([
      '/v1/send-batch-update',
      '/v1/send-batch-update',
      '/v1/send-event',
    ]);
    expect(await balanceOf(scene, 1)).toEqual([10]);
  },

  async '7: events are sent once the updates before them are refused'(scene) {
    scene.proxy.plan({ status: 400, error: 'wrong' });
    const { failed } = await scene.run([update(message(10_001, 1), 'opened'), FLUSH]);
    expect(failed).toEqual(['wrong']);
    expect(keysAt(scene)).toEqual(['update 10001 opened 0']);
  },

  async '8: an event that JSON does not hold is refused at once, by its field'(scene) {
    const events = [{ name: 'paid', fields: { value_num: 'NaN' } }, { name: 'opened' }];
    const { results } = await scene.run([{ do: 'update', update: message(10_001, 1), events }, FLUSH]);
    expect(results[0]!.handled).toEqual([{ error: expect.stringContaining('value_num') }, { taken: true }]);
    expect(eventsAt(scene)).toMatchObject([{ event: 'opened' }]);
  },

  async '9: a receipt resolves when the service has the event, and throws if it refuses it'(scene) {
    const events = [
      { name: 'paid', await_sent: true },
      { name: 'paid', fields: { category: 'x'.repeat(251) }, await_sent: true },
      { name: 'paid', await_sent: true },
    ];
    const given: Step = { do: 'update', update: message(10_001, 1), events };
    const { results, failed } = await scene.run([given], { max_delay_ms: 3_600_000 });
    const error = expect.stringContaining('category');
    expect(results[0]!.handled).toEqual([{ taken: true }, { error }, { taken: true }]);
    expect(failed).toEqual([error]);
    // The visit first, then each event at once.
    const [first, second] = scene.proxy.arrived.map(pathOf);
    expect([first, second]).toEqual(['/v1/send-batch-update', '/v1/send-event']);
    expect(await scene.counts()).toMatchObject({ paid: 2 });
  },

  async '10: a user has one referral link, also if it is asked for three times at once'(scene) {
    const asked: Step = { do: 'update', update: message(10_001, 1), links: 3 };
    const { results } = await scene.run([asked, asked]);
    const links = results.flatMap(({ handled = [] }) => handled.map(({ link }) => link));
    expect(links).toHaveLength(6);
    expect(new Set(links).size).toBe(1);
    expect((await scene.read('/v1/referral/codes?user_id=1')).codes).toHaveLength(1);
  },

  async '11: close sends what waits, updates first'(scene) {
    const steps: Step[] = [update(message(10_001, 1), 'opened'), { do: 'close' }];
    const { failed } = await scene.run(steps, { max_delay_ms: 3_600_000 });
    expect(failed).toEqual([]);
    expect(scene.proxy.arrived.map(pathOf)).toEqual(['/v1/send-batch-update', '/v1/send-event']);
  },

  async '12: a kill -9 costs what waits, and no purchase whose receipt was awaited'(scene) {
    const paid = { name: 'paid', await_sent: true };
    const steps: Step[] = [
      { do: 'update', update: message(10_001, 1), events: [paid] },
      update(message(10_002, 1), 'lost'),
    ];
    await scene.runUntilKilled(steps, { max_delay_ms: 3_600_000 });
    const counts = await scene.counts();
    expect(counts).toMatchObject({ paid: 1 });
    expect(counts).not.toHaveProperty('lost');
  },

  async '12: with a spool a kill -9 costs nothing, and pays each purchase once'(scene) {
    await scene.earn('5');
    const code = await scene.call.codeFor(1);
    const spool = await mkdtemp(join(tmpdir(), 'botledger-spool-'));
    const visit = update(message(10_001, 900, `/start ${code}`));
    const purchases = [2, 3, 4, 5, 6].map((n) => update(message(10_000 + n, 900), 'Order'));
    try {
      // The service is down at the first kill; the second one comes when it has accepted all and answered nothing.
      scene.proxy.plan(...Array.from({ length: 50 }, () => 'reset before' as const));
      await scene.runUntilKilled([visit, ...purchases], { spool });
      scene.proxy.plan(undefined, { delayMs: 5000 });
      await scene.runUntilKilled([], { spool });
      expect(keysAt(scene)).toEqual(purchases.map((_, n) => `update ${10_002 + n} Order 0`));
      scene.proxy.plan();
      const { failed } = await scene.run([], { spool });
      expect(failed).toEqual([]);
      expect(await scene.counts()).toMatchObject({ Order: 1 + 1 + 5 });
      expect(await balanceOf(scene, 1)).toEqual([30]);
    } finally {
      await rm(spool, { recursive: true });
    }
  },

  async '13: users that the bot has not met are logged, once'(scene) {
    const steps = [11_001, 11_002].flatMap((id) => [update(message(id, id), 'opened'), FLUSH]);
    const { stderr } = await scene.run(steps, { forward_updates: false });
    expect(stderr.match(/the bot has not met the users .*/g)).toEqual([
      'the bot has not met the users 11001: their events do not count yet',
    ]);
    // The update comes first, so the user is known.
    const known = await scene.run([update(message(11_003, 11_003), 'opened'), FLUSH]);
    expect(known.stderr).not.toContain('has not met');
  },
};
