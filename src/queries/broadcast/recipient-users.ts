import type pg from 'pg';
import type { TemplateUser, TemplateValue } from '../../domain/broadcast/template.ts';
import { localTimeOf } from '../../domain/local-time.ts';

/** A recipient who is a user of the bot, or was erased. */
export interface RecipientUser {
  readonly status: 'active' | 'blocked' | 'deactivated' | 'erased';
  /** Fields for templates, by the names of the condition fields; empty unless they were requested. */
  readonly fields: TemplateUser;
}

export interface RecipientUsersSource {
  readonly pool: pg.Pool;
  /** Schemas of the read models. */
  readonly users: string;
  readonly referral: string;
  readonly botId: number;
  /** The timezone of dates. */
  readonly timezone: string;
}

interface Row {
  readonly user_id: number;
  readonly user_status: Exclude<RecipientUser['status'], 'erased'>;
  readonly date_create: number;
  readonly date_last_active: number | null;
  readonly addition_fields: Readonly<Record<string, string>>;
  readonly referrer_id: number | null;
  readonly referral_code: string | null;
  readonly [field: string]: TemplateValue;
}

/**
 * Finds those of the chats that are users of the bot, or were erased after the audience was frozen.
 * @param withFields whether to load fields besides the status
 */
export async function recipientUsers(
  { pool, users, referral, botId, timezone }: RecipientUsersSource,
  chats: readonly number[],
  withFields: boolean,
): Promise<Map<number, RecipientUser>> {
  // Groups and channels are no users.
  const ids = chats.filter((chat) => chat > 0);
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<Row>(
    withFields
      ? {
          name: `${users}.${referral}.recipient_users`,
          text: `SELECT u.user_id::float8, first_name, last_name, full_name, username, language_code, is_premium, is_bot,
                        gender, timezone, user_status, date_create::float8, date_last_active::float8, custom_fields,
                        addition_fields, r.referrer_id::float8, r.code AS referral_code
                   FROM ${users}.users u LEFT JOIN ${referral}.referrals r USING (bot_id, user_id)
                  WHERE bot_id = $1 AND user_id = ANY ($2::bigint[])`,
          values: [botId, ids],
        }
      : {
          name: `${users}.recipient_statuses`,
          text: `SELECT user_id::float8, user_status FROM ${users}.users
                  WHERE bot_id = $1 AND user_id = ANY ($2::bigint[])`,
          values: [botId, ids],
        },
  );
  const erased = await pool.query<{ readonly user_id: number }>({
    name: `${users}.erased_recipients`,
    text: `SELECT user_id::float8 FROM ${users}.erased_users WHERE bot_id = $1 AND user_id = ANY ($2::bigint[])`,
    values: [botId, ids],
  });
  return new Map<number, RecipientUser>([
    ...rows.map((row): [number, RecipientUser] => [
      row.user_id,
      { status: row.user_status, fields: withFields ? fieldsOf(row, timezone) : {} },
    ]),
    ...erased.rows.map(({ user_id }): [number, RecipientUser] => [user_id, { status: 'erased', fields: {} }]),
  ]);
}

function fieldsOf(row: Row, timezone: string): TemplateUser {
  const { referrer_id, referral_code, addition_fields, date_create, date_last_active, ...fields } = row;
  return {
    ...fields,
    date_create: localTimeOf(date_create, timezone),
    date_last_active: date_last_active === null ? null : localTimeOf(date_last_active, timezone),
    addition_fields: { ...addition_fields, referrer_id, referral_code },
  };
}
