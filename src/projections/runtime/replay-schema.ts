/** Where a read model is replayed to compare a version with it. */
export function replaySchemaOf(name: string): string {
  return `${name}_replay`;
}

/** The lease of whoever does so: one at a time. */
export function verifyLeaseOf(name: string): string {
  return `verify ${name}`;
}
