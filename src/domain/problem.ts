/** A problem of a caller's input: one entry of an error's `details` (decisions.md#response-bodies). */
export interface Problem {
  /** The place of the wrong value: keys and indexes joined by dots. For a missing key, the key itself. */
  readonly path: string;
  readonly message: string;
  /** The accepted values, if there is a list. */
  readonly allowed?: readonly string[];
}

/** Something that was accepted but probably not meant. */
export type Warning = Pick<Problem, 'path' | 'message'>;

/** The path of a key or index below `path`; the root's is ''. */
export function under(path: string, key: string | number): string {
  return path === '' ? `${key}` : `${path}.${key}`;
}
