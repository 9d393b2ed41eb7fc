/** The bot's start link with a code as its start parameter; null when the bot has no username. */
export function linkOf({ username }: { readonly username: string | null }, code: string): string | null {
  return username === null ? null : `https://t.me/${username}?start=${code}`;
}
