/** Stream names: `<category>-<key>` or `<category>-<key>/<rest>`. Categories have no hyphen, keys no slash. */

export function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-'));
}

/** What decides the partition: all streams of one bot carry the bot's public key here, so that its log has one order. */
export function keyOf(stream: string): string {
  const start = stream.indexOf('-') + 1;
  const slash = stream.indexOf('/', start);
  return slash < 0 ? stream.slice(start) : stream.slice(start, slash);
}
