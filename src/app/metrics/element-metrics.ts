/** The number of elements of an event: the elements of an intake request, else 1. */
export function elementsOf({ data }: { readonly data: unknown }): number {
  const { items } = data as { readonly items?: unknown };
  return Array.isArray(items) ? items.length : 1;
}
