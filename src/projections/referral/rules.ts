import type { ClientBase } from 'pg';
import { ordOf } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import type { Bot } from './bots.ts';

/** Writes what a commit says of rules and units: a handful in a bot's life, so each is a statement. */
export async function writeRules(tx: ClientBase, { bot_id }: Bot, commit: ReadCommit): Promise<void> {
  for (const event of commit.events)
    switch (event.type) {
      case 'unit_created':
        await one(tx, 'INSERT INTO units SELECT * FROM jsonb_populate_record(NULL::units, $1)', {
          bot_id,
          ...event.data,
        });
        break;
      case 'reward_rule_created':
      case 'reward_rule_changed':
        await one(tx, ADD_STATE, { bot_id, ord: ordOf(commit), ...event.data });
        break;
    }
}

/** A rule's next state is the last one with what changed laid over it; the first one brings all. */
const ADD_STATE = `
  INSERT INTO rules
  SELECT (jsonb_populate_record(
    (SELECT r FROM rules r
      WHERE r.bot_id = (n.rule->>'bot_id')::int AND r.rule_id = (n.rule->>'rule_id')::bigint
      ORDER BY r.ord DESC LIMIT 1), n.rule)).*
    FROM (SELECT $1::jsonb AS rule) n`;

async function one(tx: ClientBase, text: string, row: object): Promise<void> {
  await tx.query(text, [JSON.stringify(row)]);
}
