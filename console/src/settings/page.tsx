import { address, href } from '../address.ts';
import { Head } from '../parts/head.tsx';
import type { Bot } from '../session.ts';
import { BotSettings } from './bot.tsx';
import { Goals, Units } from './goals-and-units.tsx';
import { Keys } from './keys.tsx';
import { ownerSession } from './owner.ts';
import { Rules } from './rules.tsx';
import { Webhook } from './webhook.tsx';
import { words } from './words.ts';

const SECTIONS = [
  { id: 'bot', section: BotSettings },
  { id: 'keys', section: Keys },
  { id: 'goals', section: Goals },
  { id: 'units', section: Units },
  { id: 'rules', section: Rules },
  { id: 'webhook', section: Webhook },
] as const;

/** The settings of a bot and of its owner's keys. Each section is a link, so that Back returns to the one before. */
export function SettingsPage({ bot }: { readonly bot: Bot }) {
  if (ownerSession() === null)
    return (
      <>
        <Head title={words.title} />
        <p>{words.noOwnerKey}</p>
        <pre>npx botledger key issue --owner ID --all-bots --kind owner</pre>
        <p class="quiet-text">{words.noOwnerKeyThen}</p>
      </>
    );
  const { path, query } = address.value;
  // Older links have the section in the query.
  const wanted = path.split('/')[2] ?? query.get('section');
  const found = SECTIONS.find(({ id }) => id === wanted) ?? SECTIONS[0];
  return (
    <div class="settings">
      <Head title={words.title} />
      <nav class="tabs" aria-label={words.sectionsLabel}>
        {SECTIONS.map(({ id }) => (
          <a
            key={id}
            href={href(`/settings/${id}`, { bot: bot.resource_key })}
            aria-current={id === found.id ? 'page' : undefined}
          >
            {words.sections[id]}
          </a>
        ))}
      </nav>
      <found.section key={found.id} bot={bot} />
    </div>
  );
}
