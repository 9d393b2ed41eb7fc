import { expect, it } from 'vitest';
import { segmentsOf } from '../../../src/domain/broadcast/audience.ts';
import { audienceUserFields } from '../../../src/domain/broadcast/audience-fields.ts';
import { storedSegmentations } from '../../../src/domain/broadcast/audience-segmentations.ts';
import { readSource } from '../../support/source-files.ts';

const section = readSource('README.md')
  .text.split(/^## /m)
  .find((each) => each.startsWith('Audiences\n'))!;

it('the audience of the README is one', () => {
  const [example, ...others] = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json]) => json!);
  expect(others).toEqual([]);
  expect(segmentsOf(storedSegmentations(example!, 'UTC')).length).toBeGreaterThan(3);
});

it('every field of users is named', () => {
  const names = audienceUserFields.names.map((name) => name.split('.').at(-1)!).filter((name) => name !== '*');
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
