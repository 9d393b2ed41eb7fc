interface OpenApi {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The document with what its operations refer to written out in each of them. References inside that stay. */
export function inlined<D extends OpenApi>(document: D): D {
  const components = Object.entries(document.components).flatMap(([kind, named]) =>
    Object.entries(named).map(([name, part]) => [`#/components/${kind}/${name}`, part] as const),
  );
  const parts: ReadonlyMap<string | undefined, unknown> = new Map(components);
  const writtenOut = (_key: string, value: { readonly $ref?: string } | null): unknown => {
    const { $ref, ...rest } = Object(value) as { readonly $ref?: string };
    return parts.has($ref) ? { ...(parts.get($ref) as object), ...rest } : value;
  };
  return { ...document, paths: JSON.parse(JSON.stringify((document as { paths?: object }).paths), writtenOut) };
}
