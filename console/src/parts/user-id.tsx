import { href } from '../address.ts';
import { botOfPage } from '../page-bot.ts';

/** The id of a user, with a link to their page. */
export function UserId({ id }: { readonly id: number }) {
  return (
    <a class="cell" href={href(`/users/${id}`, { bot: botOfPage()?.resource_key })}>
      {id}
    </a>
  );
}
