import type { Person } from './person.ts';
import type { Random } from './random.ts';

/** One update, event or goal as the demo sends it. */
export interface Item {
  /** ms UTC */
  readonly at: number;
  readonly method: 'send-batch-update' | 'send-event' | 'send-target';
  readonly body: object;
}

/** The optional fields of a custom event. */
interface EventParts {
  readonly webapp_name?: string;
  readonly category?: string;
  readonly value_str?: string;
  readonly value_num?: number;
  readonly unit?: string;
  readonly properties?: Readonly<Record<string, string | number | boolean>>;
}

/** Records the actions of a user, with pauses between them. */
export interface Script {
  /** Sets the time of the next action. */
  at(ms: number): void;
  /** Advances the time by a random number of seconds, both ends included. */
  wait(least: number, most: number): void;
  command(text: string): void;
  message(): void;
  callback(data: string): void;
  webAppData(): void;
  payment(cents: number): void;
  block(): void;
  unblock(): void;
  event(name: string, parts?: EventParts): void;
  sale(cents: number): void;
  items(): readonly Item[];
}

/** The range of update ids for each seed, so that no two updates share an id. */
const UPDATES_OF_SEED = 10_000_000_000;
const UPDATES_OF_USER = 10_000;
const SEEDS = 100_000;

/** Ids of updates and keys of events come from the seed, the user and a count, so that a repeated item counts once. */
export function createScript({ index, from }: Person, seed: number, chance: Random): Script {
  const items: Item[] = [];
  const chat = { id: from.id, type: 'private' };
  const firstUpdate = ((seed % SEEDS) + 1) * UPDATES_OF_SEED + index * UPDATES_OF_USER;
  let at = 0;
  const wait = (least: number, most: number): void => {
    at += chance.between(least * 1000, most * 1000);
  };
  const add = (method: Item['method'], body: object): void => {
    items.push({ at, method, body });
    wait(3, 90);
  };
  const seconds = (): number => Math.floor(at / 1000);
  const update = (body: object, more: object = {}): void =>
    add('send-batch-update', { ...more, update: { update_id: firstUpdate + items.length, ...body } });
  const message = (body: object): void =>
    update({ message: { message_id: items.length + 1, date: seconds(), chat, from, ...body } });
  const membership = (before: string, after: string): void =>
    update({
      my_chat_member: {
        chat,
        from,
        date: seconds(),
        old_chat_member: { status: before },
        new_chat_member: { status: after },
      },
    });
  const key = (): string => `demo-${seed}-${index}-${items.length}`;
  const date = (): string => new Date(at).toISOString();

  return {
    at(ms) {
      at = ms;
    },
    wait,
    command(text) {
      const length = text.split(' ')[0]!.length;
      message({ text, entities: [{ type: 'bot_command', offset: 0, length }] });
    },
    message: () => message({ text: chance.pick(['hi', 'thanks!', 'where is my order?', 'more like this']) }),
    callback: (data) =>
      update(
        {
          callback_query: {
            id: key(),
            from,
            chat_instance: `${from.id}`,
            data,
            message: { message_id: 1, date: 0, chat },
          },
        },
        { date: date() },
      ),
    webAppData: () => message({ web_app_data: { data: '{"score":"sent"}', button_text: 'Play' } }),
    payment(cents) {
      const charge = key();
      message({
        successful_payment: {
          currency: 'USD',
          total_amount: cents,
          invoice_payload: charge,
          telegram_payment_charge_id: charge,
          provider_payment_charge_id: charge,
        },
      });
    },
    block: () => membership('member', 'kicked'),
    unblock: () => membership('kicked', 'member'),
    event: (event, parts = {}) =>
      add('send-event', { event, user_id: from.id, ...parts, date: date(), event_key: key() }),
    sale: (cents) =>
      add('send-target', {
        target_id: 1,
        user_id: from.id,
        value: cents / 100,
        unit: 'USD',
        date: date(),
        event_key: key(),
      }),
    items: () => items,
  };
}
