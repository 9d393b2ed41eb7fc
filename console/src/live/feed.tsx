import { useSignal } from '@preact/signals';
import { clock, date, number } from '../format.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { eventIcon } from '../parts/event-icon.ts';
import type { EventNames } from '../parts/event-words.ts';
import { Icon } from '../parts/icon.tsx';
import { spoken } from '../parts/names.ts';
import { nameOfUser, UserLink } from '../parts/user-link.tsx';
import { texts } from '../texts.ts';
import { factsOf, type LiveEvent } from './event-facts.ts';
import { words } from './words.ts';

interface FeedProps {
  readonly bot: string;
  readonly events: readonly LiveEvent[];
  readonly names: EventNames;
  /** Ids of events that the last answer brought. */
  readonly fresh: ReadonlySet<string>;
}

/** The last events, each with what came with it on demand. */
export function Feed({ bot, events, names, fresh }: FeedProps) {
  const open = useSignal<string | null>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={words.lastEvents}>
      <table class="table tight feed">
        <caption class="hidden">{words.lastEvents}</caption>
        <thead>
          <tr>
            <th scope="col">{words.when}</th>
            <th scope="col">{words.event}</th>
            <th scope="col">{words.person}</th>
            <th scope="col" class="wide">
              {words.with}
            </th>
            <th scope="col">
              <span class="hidden">{words.details}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => {
            const isOpen = open.value === event.id;
            const name = nameIn(names, event);
            const facts = factsOf(event).join(' · ');
            return (
              <>
                <tr key={event.id} class={isOpen ? 'open' : fresh.has(event.id) ? 'new' : ''}>
                  <td class="t">{clock(event.date_received)}</td>
                  <th scope="row">
                    <span class="ev">
                      <Icon name={eventIcon(event.event_type_id, event.value_amount)} />
                      <bdi class="cut" title={name}>
                        {name}
                      </bdi>
                    </span>
                  </th>
                  <td>
                    <UserLink bot={bot} user={event} />
                  </td>
                  <td class="wide">
                    <bdi class="cut" title={facts}>
                      {facts === '' ? '–' : facts}
                    </bdi>
                  </td>
                  <td>
                    <button
                      type="button"
                      class="btn quiet small only-icon"
                      aria-expanded={isOpen}
                      aria-label={words.show(name, clock(event.date_received))}
                      onClick={() => {
                        open.value = isOpen ? null : event.id;
                      }}
                    >
                      <Icon name={isOpen ? 'down' : 'right'} />
                    </button>
                  </td>
                </tr>
                {isOpen && (
                  <tr key={`${event.id} open`} class="open">
                    <td class="raw" colSpan={5}>
                      <Details event={event} />
                    </td>
                  </tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
      {events.length === 0 && <p class="quiet-text none">{words.noneFound}</p>}
    </section>
  );
}

const nameIn = (names: EventNames, { event_type_id, event_name }: LiveEvent): string =>
  names.get(event_type_id) ?? spoken(event_name);

function Details({ event }: { readonly event: LiveEvent }) {
  const { first_name: _, last_name: __, username: ___, id, date_received, ...counted } = event;
  const filled = Object.entries(counted).filter(([, value]) => value !== null);
  return (
    <div class="raw-cols">
      <CodeBlock name={words.counted} code={JSON.stringify(Object.fromEntries(filled), null, 2)} />
      <dl class="facts small-text">
        <dt>{words.received}</dt>
        <dd>{clock(date_received)}</dd>
        <dt>{words.date}</dt>
        <dd>
          {date(event.date, false)}, {clock(event.date)}
        </dd>
        <dt>{words.person}</dt>
        <dd>
          <bdi>{nameOfUser(event)}</bdi>, {event.user_id}
        </dd>
        <dt>{words.id}</dt>
        <dd>{id}</dd>
      </dl>
    </div>
  );
}

/** Whether an event has all words: in its name, its person or its id. */
export function isFound(event: LiveEvent, names: EventNames, asked: string): boolean {
  const text = [nameIn(names, event), event.event_name, nameOfUser(event), event.username, event.user_id, event.id];
  const all = text.join(' ').toLowerCase();
  return asked
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** How many events wait behind a pause. */
export const waiting = (count: number, most: number): string =>
  words.paused(count < most ? number(count) : words.atMost(number(most)));

export const findLabel = texts.find(words.find);
