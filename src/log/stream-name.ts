/** Stream names: `<category>-<key>` or `<category>-<key>/<rest>`. Categories have no hyphen, keys no slash. */

export function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-'));
}

/**
 * The key of a stream. It decides the stream's partition. It is the bot's public key, so that all of a bot has one
 * order.
 */
export function keyOf(stream: string): string {
  const start = stream.indexOf('-') + 1;
  const slash = stream.indexOf('/', start);
  return slash < 0 ? stream.slice(start) : stream.slice(start, slash);
}
