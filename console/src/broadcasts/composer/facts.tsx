import { Fragment } from 'preact';

export type Fact = readonly [name: string, value: string | null];

/** Names with their values; those without a value are left out. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(
        ([name, value]) =>
          value && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd title={value}>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
