import type { BroadcastsAnswer } from '../../../../src/api/broadcast/schemas.ts';
import { RequestError, request } from '../../api.ts';
import { type ConditionNames, loadConditionNames } from '../../parts/condition-names.ts';
import { session } from '../../session.ts';
import type { BotRow } from '../../settings/bot.tsx';
import { words as pageWords } from '../words.ts';

/** Something that an audience names by a number. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** The saved segments and the broadcasts of the bot, by which audiences are named. */
export interface AudienceNames {
  readonly saved: readonly Named[];
  readonly tasks: readonly Named[];
}

/** The names that audiences and templates can use. */
export interface Names extends AudienceNames, ConditionNames {
  /** Undefined: not known. */
  readonly hasToken: boolean | undefined;
}

const MOST = 500;

/** Loads the names of saved segments and broadcasts. Without the right to see saved segments there are none. */
export async function loadAudienceNames(bot: string, signal: AbortSignal): Promise<AudienceNames> {
  const options = { bot, signal };
  const [saved, tasks] = await Promise.all([
    request<{ items: { saved_segment_id: number; name: string }[] }>('/v1/saved-segments/list', options).catch(
      (error: unknown) => {
        if (error instanceof RequestError && error.status === 403) return { items: [] };
        throw error;
      },
    ),
    request<BroadcastsAnswer>(`/v1/broadcast/list?limit=${MOST}`, options),
  ]);
  return {
    saved: saved.items.map(({ saved_segment_id: id, name }) => ({ id, name })),
    tasks: tasks.items
      // A draft has no recipients.
      .filter(({ status }) => status !== 0)
      .map(({ id, name }) => ({ id, name: name ?? pageWords.unnamed(id) })),
  };
}

export async function loadNames(bot: string, signal: AbortSignal): Promise<Names> {
  const [conditions, bots, audience] = await Promise.all([
    loadConditionNames(bot, signal),
    // Settings answer to keys of owners only.
    session.peek()?.kind === 'owner' ? request<{ items: BotRow[] }>('/v1/settings/bots', { bot, signal }) : null,
    loadAudienceNames(bot, signal),
  ]);
  return {
    ...audience,
    ...conditions,
    hasToken: bots?.items.find(({ resource_key }) => resource_key === bot)?.has_token,
  };
}
