import type { Detail } from '../../api.ts';

/** The problems of a field or of anything within it, beside it. */
export function Problems({ of, at }: { readonly of: readonly Detail[]; readonly at: string }) {
  const found = of.filter(({ path }) => path === at || path.startsWith(`${at}.`));
  return (
    <>
      {[...new Set(found.map(({ message }) => message))].map((message) => (
        <span class="failure" role="alert" key={message}>
          {message}
        </span>
      ))}
    </>
  );
}
