import { href } from '../address.ts';
import { botOfPage } from '../page-bot.ts';

interface UserIdProps {
  readonly id: number;
  /** Shown in place of the id. */
  readonly name?: string;
}

/** The id of a user, with a link to their page. */
export function UserId({ id, name = `${id}` }: UserIdProps) {
  return (
    <a class="cell cut" title={name} href={href(`/users/${id}`, { bot: botOfPage()?.resource_key })}>
      <bdi>{name}</bdi>
    </a>
  );
}
