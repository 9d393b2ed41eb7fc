import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { type Conditions, hasConditions } from './saved-segment.ts';
import { words } from './words.ts';

interface SegmentSizeProps {
  readonly bot: string;
  readonly conditions: Conditions;
}

/** How many people fulfil the conditions now. */
export function SegmentSize({ bot, conditions }: SegmentSizeProps) {
  const asked = useSignal(JSON.stringify(conditions));
  const text = JSON.stringify(conditions);
  useEffect(() => {
    asked.value = text;
  }, [text]);
  const { loaded, reload } = useLoad(() => {
    const config = JSON.parse(asked.value) as Conditions;
    const segmentations = { include: [{ type: 'filter', config }], exclude: [] };
    return hasConditions(config)
      ? (signal) =>
          request<{ count: number }>('/v1/broadcast/audience-size', {
            ...{ method: 'POST', bot, signal },
            body: { segmentations, sample: 0 },
          })
      : null;
  });
  if (!hasConditions(conditions)) return <span role="status">{words.noConditions}</span>;
  const { data, error } = loaded.value;
  if (error !== undefined) return <Pending loaded={loaded.value} retry={reload} />;
  return (
    <span role="status" title={words.sizeMeans}>
      {data === undefined ? words.counting : words.size(number(data.count))}
    </span>
  );
}
