import { address } from '../address.ts';
import type { Bot } from '../session.ts';
import { UserList } from './list.tsx';
import { PersonPage } from './person.tsx';
import './users.css';

/** The users of a bot, or one of them: the address has the id. */
export function UsersPage({ bot }: { readonly bot: Bot }) {
  const [, , id] = address.value.path.split('/');
  return id === undefined ? <UserList bot={bot.resource_key} /> : <PersonPage key={id} bot={bot} id={id} />;
}
