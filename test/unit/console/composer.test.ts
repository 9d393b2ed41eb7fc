import { describe, expect, it } from 'vitest';
import { type Span, spansOf } from '../../../console/src/broadcasts/composer/entities.ts';
import {
  newPart,
  type Part,
  partOf,
  segmentOf,
  unfinishedIn,
} from '../../../console/src/broadcasts/composer/segments.ts';
import { parseMarkup } from '../../../src/domain/broadcast/markup.ts';

const written = (spans: readonly Span[]): string =>
  spans.map((span) => (typeof span === 'string' ? span : `(${span.entity.type} ${written(span.spans)})`)).join('');

describe('the composer', () => {
  it.each([
    ['a <b>b <i>c</i></b> 👍<u>d</u>', 'a (bold b (italic c)) 👍(underline d)'],
    ['<b><i>x</i></b>', '(bold (italic x))'],
    ['&lt;script&gt;', '<script>'],
  ])('nests the entities of %s', (text, tree) => {
    const read = parseMarkup(text, 'HTML');
    expect(written(spansOf(read.text, read.entities))).toBe(tree);
  });

  it.each([
    { type: 'all', config: {} },
    { type: 'list', config: { chat_ids: [1, -2] } },
    { type: 'from_task', config: { task_id: 7 } },
    { type: 'custom', config: { segment_id: 3 } },
    { type: 'saved', config: { saved_segment_id: 4 } },
    { type: 'filter', config: { user_conditions: ['not', ['=', 'users.first_name', 'x']] } },
    { type: 'filter', config: { user_conditions: ['not between', 'users.user_id', 1, 5] } },
  ])('keeps the segment %j', (segment) => expect(segmentOf(partOf(segment))).toEqual(segment));

  it('edits a group of one condition as that condition', () => {
    const event = ['performed_event', { event_id: 3, negation: false, period_days: 30 }];
    const language = ['=', 'users.language_code', 'de'];
    const config = { user_conditions: ['or', ['and', language]], event_filters: ['and', event] };
    const part = partOf({ type: 'filter', config });
    expect(part.kind).toBe('filter');
    expect(segmentOf(part)).toEqual({ type: 'filter', config: { user_conditions: language, event_filters: event } });
  });

  it('names the segments with a condition that has no value yet, also on an event', () => {
    const condition = { field: 'users.language_code', operator: '=', value: '' };
    const filter = { join: 'and', items: [{ join: 'or', items: [condition] }] } as const;
    const part = newPart('filter') as Extract<Part, { kind: 'filter' }>;
    const rule = { event: 7, negation: false, days: 0, filter };
    const whole = partOf({ type: 'filter', config: { user_conditions: ['=', 'users.language_code', 'de'] } });
    const audience = {
      include: [whole, { ...part, users: filter }],
      exclude: [{ ...part, events: { join: 'and', items: [rule] } }, newPart('all')],
    } as const;
    expect(unfinishedIn(audience)).toEqual(['segmentations.include.1', 'segmentations.exclude.0']);
  });
});
