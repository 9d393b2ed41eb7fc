import { address, go, href } from '../address.ts';
import { Icon } from '../parts/icon.tsx';
import { openQuestion } from '../parts/open-question.ts';
import { Picker } from '../parts/picker.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';

interface BotSwitchProps {
  readonly bots: readonly Bot[];
  /** Absent: the address names no bot of the session. */
  readonly bot: Bot | undefined;
}

const COLORS = 10;

/** The sign of a bot: the first letter of its name, in a colour that follows from its key. */
export function Avatar({ bot, size = '' }: { readonly bot: Bot; readonly size?: string }) {
  const sum = [...bot.resource_key].reduce((all, letter) => all + letter.charCodeAt(0), 0);
  return (
    <span class={`avatar ${size} k${(sum % COLORS) + 1}`} aria-hidden="true">
      {[...bot.name][0]?.toUpperCase()}
    </span>
  );
}

/** Changes the bot and keeps the page. What names things of one bot, such as the id of a broadcast, goes. */
export function BotSwitch({ bots, bot }: BotSwitchProps) {
  return (
    <Picker
      label={texts.nav.bot}
      look="bot-switch"
      value={bot?.resource_key ?? ''}
      options={bots.map(({ resource_key, name, username }) => ({
        value: resource_key,
        label: name,
        small: username === null ? resource_key : `@${username}`,
      }))}
      onPick={(key) => go(href(`/${address.value.path.split('/')[1] ?? ''}`, { bot: key, ...kept() }))}
    >
      {bot !== undefined && <Avatar bot={bot} size="small" />}
      <span class="bot-name">
        <bdi class="cut">{bot?.name ?? texts.nav.choose}</bdi>
        {bot !== undefined && (
          <small class="cut">
            {bot.username !== null && `@${bot.username} · `}
            {bot.timezone}
          </small>
        )}
      </span>
      <Icon name="down" />
    </Picker>
  );
}

/** The question of a report makes sense for another bot, too. */
function kept(): Readonly<Record<string, string>> {
  const report = address.value.query.get('report') ?? openQuestion.value;
  return report === null ? {} : { report };
}
