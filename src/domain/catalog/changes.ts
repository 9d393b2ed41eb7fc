/** Some properties of `T`; absent and undefined mean: as it is. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

export function withChanges<T extends object>(current: T, changes: Changes<T>): T {
  return { ...current, ...given(changes) };
}

/** The changes that change something; undefined when none does. */
export function differences<T extends object>(current: T, changes: Changes<T>): Partial<T> | undefined {
  const differing = Object.entries(given(changes)).filter(([key, value]) => current[key as keyof T] !== value);
  return differing.length === 0 ? undefined : (Object.fromEntries(differing) as Partial<T>);
}

function given<T extends object>(changes: Changes<T>): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
