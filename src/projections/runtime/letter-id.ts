/** A dead letter as operators name it: the schema of the version, and the commit that it could not take. */
export function letterId(schema: string, commitId: string): string {
  return `${schema}.${commitId}`;
}

export interface LetterName {
  readonly name: string;
  readonly version: number;
  readonly commitId: string;
}

/** Null for a text that names none. */
export function parseLetterId(text: string): LetterName | null {
  const match = /^([a-z]+)_v(\d+)\.([0-9a-f-]{36})$/.exec(text);
  return match === null ? null : { name: match[1]!, version: Number(match[2]), commitId: match[3]! };
}
