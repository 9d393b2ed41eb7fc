import type { ComponentChildren } from 'preact';
import { Card } from './card.tsx';
import { Pending } from './failure.tsx';
import { type LoadOptions, useLoad } from './load.ts';

interface LoadedCardProps<T> extends LoadOptions<T> {
  readonly id: string;
  readonly title: string;
  readonly link?: string;
  readonly flush?: boolean;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** A card that loads by itself, again and again. Its periods are those of each load: midnight moves them. */
export function LoadedCard<T>({ id, title, link, flush, load, poll = () => 'seldom', children }: LoadedCardProps<T>) {
  const { loaded, reload } = useLoad(() => load, { poll });
  const { data, loading } = loaded.value;
  return (
    <Card
      id={id}
      title={link === undefined ? title : <a href={link}>{title}</a>}
      flush={flush === true && data !== undefined}
      busy={loading}
    >
      <Pending loaded={loaded.value} retry={reload} chart />
      {data !== undefined && children(data)}
    </Card>
  );
}
