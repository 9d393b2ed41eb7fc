import { href } from '../address.ts';
import type { NamedUser, People } from './people.ts';

const COLORS = 10;

/** The name of a user as people say it; without one, the id. */
export function nameOfUser({ user_id, first_name, last_name, username }: NamedUser): string {
  const full = [first_name, last_name].filter(Boolean).join(' ');
  if (full !== '') return full;
  return username ? `@${username}` : String(user_id);
}

function UserAvatar({ user, size = 'small' }: { readonly user: NamedUser; readonly size?: string }) {
  const letter = [...nameOfUser(user).replace(/^@/, '')][0]?.toUpperCase();
  return (
    <span class={`avatar ${size} k${(user.user_id % COLORS) + 1}`} aria-hidden="true">
      {letter}
    </span>
  );
}

/** A user, perhaps only by the id, with a link to their page. */
export function KnownUser({ bot, id, people }: { readonly bot: string; readonly id: number; readonly people: People }) {
  return <UserLink bot={bot} user={people.get(id) ?? { user_id: id }} />;
}

/** A user with a link to their page. */
export function UserLink({ bot, user }: { readonly bot: string; readonly user: NamedUser }) {
  const name = nameOfUser(user);
  return (
    <span class="who">
      <UserAvatar user={user} />
      <a class="cell cut" href={href(`/users/${user.user_id}`, { bot })} title={name}>
        <bdi>{name}</bdi>
      </a>
    </span>
  );
}
