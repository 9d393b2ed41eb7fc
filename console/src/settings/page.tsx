import { address, href } from '../address.ts';
import { Card } from '../parts/card.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Head } from '../parts/head.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { BotSettings } from './bot.tsx';
import { Goals } from './goals.tsx';
import { Keys } from './keys.tsx';
import { Look } from './look.tsx';
import { ownerSession } from './owner.ts';
import { Plan } from './plan.tsx';
import { Rules } from './rules.tsx';
import { Units } from './units.tsx';
import { Webhook } from './webhook.tsx';
import { words } from './words.ts';
import './settings.css';

const SECTIONS = {
  bot: BotSettings,
  goals: Goals,
  keys: Keys,
  units: Units,
  rules: Rules,
  webhook: Webhook,
  look: Look,
  plan: Plan,
} as const;

type Section = keyof typeof SECTIONS;

/** The sections in groups, as the navigation has them. */
const GROUPS: readonly (readonly [string, readonly Section[]])[] = [
  [words.groups.bot, ['bot', 'goals', 'keys']],
  [words.groups.money, ['units', 'rules', 'webhook']],
  [words.groups.you, ['look', 'plan']],
];

/** The settings of a bot and of its owner's keys. Each section is a link, so that Back returns to the one before. */
export function SettingsPage({ bot }: { readonly bot: Bot }) {
  const { path, query } = address.value;
  // Older links have the section in the query.
  const wanted = path.split('/')[2] ?? query.get('section') ?? 'bot';
  const section = Object.hasOwn(SECTIONS, wanted) ? (wanted as Section) : 'bot';
  const Shown = SECTIONS[section];
  const isOpen = section === 'look' || ownerSession() !== null;
  return (
    <>
      <Head title={words.title} />
      <div class="set">
        <nav class="nav" aria-label={words.sectionsLabel}>
          {GROUPS.map(([group, sections]) => (
            <>
              <p key={group}>{group}</p>
              {sections.map((id) => (
                <a
                  key={id}
                  href={href(`/settings/${id}`, { bot: bot.resource_key })}
                  aria-current={id === section ? 'page' : undefined}
                  // On a phone the links are a row that scrolls.
                  ref={(link) => {
                    if (id === section) link?.scrollIntoView({ block: 'nearest', inline: 'center' });
                  }}
                >
                  {words.sections[id]}
                </a>
              ))}
              {group === words.groups.bot && (
                <a key="events" href={href('/events', { bot: bot.resource_key })}>
                  {words.eventNames}
                </a>
              )}
            </>
          ))}
        </nav>
        <div class="stack">
          {isOpen ? <Shown key={section} bot={bot} /> : <NeedsOwner title={words.sections[section]} />}
        </div>
      </div>
    </>
  );
}

/** Says how a person gets a key that may change settings. */
function NeedsOwner({ title }: { readonly title: string }) {
  return (
    <Card title={title}>
      <div class="stack">
        <p>{words.noOwnerKey}</p>
        <CodeBlock name={texts.terminal} code="npx botledger key issue --owner ID --all-bots --kind owner" />
        <p class="quiet-text">{words.noOwnerKeyThen}</p>
      </div>
    </Card>
  );
}
