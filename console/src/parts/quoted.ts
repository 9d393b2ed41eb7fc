/** A name among words: its marks of direction end with it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;
export const quoted = (name: string): string => `“${isolated(name)}”`;
