import type { ComponentChildren } from 'preact';
import { Pending } from '../parts/failure.tsx';
import { type LoadOptions, useLoad } from '../parts/load.ts';

interface CardProps<T> extends LoadOptions<T> {
  readonly id: string;
  readonly title: string;
  readonly link?: string;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** A part of the dashboard that loads by itself, again and again. Its periods are those of each load: midnight moves them. */
export function Card<T>({ id, title, link, load, poll = () => 'seldom', children }: CardProps<T>) {
  const { loaded, reload } = useLoad(() => load, { poll });
  const { data, loading } = loaded.value;
  return (
    <section id={id} class={`card ${id}`} aria-busy={loading} aria-labelledby={`${id}-name`} tabIndex={-1}>
      <h2 id={`${id}-name`}>{link === undefined ? title : <a href={link}>{title}</a>}</h2>
      <Pending loaded={loaded.value} retry={reload} chart />
      {data !== undefined && children(data)}
    </section>
  );
}
