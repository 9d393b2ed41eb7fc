import type { BotUser } from '../../../src/api/users/schemas.ts';
import { go, href } from '../address.ts';
import { sendChange } from '../api.ts';
import { clock, dayName, figure, money, number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Note } from '../parts/note.tsx';
import { Pill } from '../parts/pill.tsx';
import { Tile } from '../parts/tile.tsx';
import { nameOfUser } from '../parts/user-link.tsx';
import { type Bot, currency } from '../session.ts';
import { usersLink } from './list.tsx';
import { type Figures, loadPerson, type Person } from './person-data.ts';
import { ProfileCards } from './profile-cards.tsx';
import { StatusPill } from './status-pill.tsx';
import { accountSource, broadcastsSource, broughtSource, eventsSource } from './timeline.ts';
import { TimelineCard } from './timeline-card.tsx';
import { words } from './words.ts';

/** A person: who they are, and all that happened to them on one line of time. */
export function PersonPage({ bot, id }: { readonly bot: Bot; readonly id: string }) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(() => (signal) => loadPerson(key, id, signal));
  const { data, loading } = loaded.value;
  const crumb = { href: usersLink(key), text: words.title, here: id };
  if (data === undefined)
    return (
      <>
        <Head title={id} crumb={crumb} />
        <div aria-busy={loading}>
          <Pending loaded={loaded.value} retry={reload} />
        </div>
      </>
    );
  if (data === null)
    return (
      <>
        <Head title={words.noUser(id)} crumb={crumb} />
        <Empty title={words.noUserMeans}>
          <a href={usersLink(key)}>{words.allUsers}</a>
        </Empty>
      </>
    );
  const { user, figures, names, units, properties } = data;
  const sources = [
    eventsSource(key, user.user_id, properties),
    broadcastsSource(key, user.user_id),
    broughtSource(key, user.user_id),
    accountSource(key, user.user_id),
  ];
  return (
    <>
      <PersonHead bot={key} user={user} crumb={crumb} />
      {user.erased && <Note kind="now" what={words.erasedMeans} />}
      <PersonTiles bot={key} user={user} figures={figures} />
      <div class="cols aside">
        <TimelineCard bot={key} sources={sources} names={names} units={units} today={user.data_as_of.slice(0, 10)} />
        <ProfileCards bot={key} person={data satisfies Person} />
      </div>
    </>
  );
}

interface PersonHeadProps {
  readonly bot: string;
  readonly user: BotUser;
  readonly crumb: { readonly href: string; readonly text: string; readonly here: string };
}

function PersonHead({ bot, user, crumb }: PersonHeadProps) {
  const { error, busy, run } = useAttempt();
  const name = nameOfUser(user);
  const { date_create, addition_fields: visit, username, user_id } = user;
  const source = [visit['utm_source'], visit['utm_campaign']].filter(Boolean).join(' / ');
  const came = date_create === null ? null : dayName(date_create);
  const lead = [
    ...(username === null ? [] : [`@${username}`]),
    ...(came === null ? [] : [source === '' ? words.came(came) : words.cameBy(came, source)]),
  ].join(' · ');
  const write = (): Promise<void> =>
    run(async () => {
      const include = [{ type: 'list', config: { chat_ids: [user_id] } }];
      const draft = { type: 'sendMessage', segmentations: { include, exclude: [] } };
      const { data } = await sendChange<{ readonly id: number }>('/v1/broadcast/create', draft, bot, user_id);
      go(href('/broadcasts', { bot, id: `${data.id}` }));
    });
  return (
    <>
      <Head
        title={name}
        crumb={crumb}
        lead={lead === '' ? undefined : <bdi>{lead}</bdi>}
        status={
          <>
            {user.erased ? <Pill>{words.erased}</Pill> : <StatusPill status={user.user_status} />}
            {user.is_premium === true && <Pill>{words.premium}</Pill>}
          </>
        }
      >
        {!user.erased && (
          <button type="button" class="btn primary write" disabled={busy.value} onClick={() => void write()}>
            <Icon name="broadcast" /> <bdi class="cut">{words.write(name)}</bdi>
          </button>
        )}
      </Head>
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  );
}

interface PersonTilesProps {
  readonly bot: string;
  readonly user: BotUser;
  readonly figures: Figures;
}

function PersonTiles({ bot, user, figures: { spent, payments, events } }: PersonTilesProps) {
  const { date_last_active: seen, referrals, user_id } = user;
  return (
    <section class="tiles" aria-label={words.figures}>
      <Tile
        name={words.spent}
        figure={spent === null || payments === 0 ? '–' : money(spent as number | string, currency())}
        change={words.sales(number(payments))}
      />
      <Tile name={words.events} figure={figure(events)} exact={number(events)} />
      <Tile
        name={words.lastSeen}
        figure={seen === null ? '–' : dayName(seen)}
        change={seen === null ? null : clock(seen, false)}
      />
      <Tile
        name={words.brought}
        figure={
          <>
            {number(referrals)}
            <small>{words.people(referrals)}</small>
          </>
        }
        href={href('/referrals', { bot, user: `${user_id}` })}
        change={words.account}
      />
    </section>
  );
}
