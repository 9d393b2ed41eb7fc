/** What is wrong with a caller's input, and where: one entry of an error's `details` (decisions.md#response-bodies). */
export interface Problem {
  /** Keys and indexes joined by dots, pointing at the offending value; for a missing key, the key itself. */
  readonly path: string;
  readonly message: string;
  /** What would have been accepted, where there is a list. */
  readonly allowed?: readonly string[];
}

/** Something that was accepted but probably not meant. */
export type Warning = Pick<Problem, 'path' | 'message'>;

/** The path of a key or index below `path`; the root's is ''. */
export function under(path: string, key: string | number): string {
  return path === '' ? `${key}` : `${path}.${key}`;
}
