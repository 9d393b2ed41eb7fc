import { expect, it } from 'vitest';
import { audienceUserFields, segmentsOf } from '../../../src/domain/broadcast/audience.ts';
import { storedSegmentations } from '../../../src/domain/broadcast/audience-segmentations.ts';
import { isTemplate } from '../../../src/domain/broadcast/template.ts';
import { checkTemplate } from '../../../src/domain/broadcast/template-check.ts';
import { blocksOf, readPage } from '../../support/pages.ts';

const page = 'docs/broadcasts.md';

it('the audience of docs/broadcasts.md is one', () => {
  const [example, ...others] = blocksOf(page).filter(({ note }) => note === 'audience');
  expect(others).toEqual([]);
  expect(segmentsOf(storedSegmentations(example!.text, 'UTC')).length).toBeGreaterThan(3);
});

it('every field of users is named', () => {
  const names = audienceUserFields.names.map((name) => name.split('.').at(-1)!).filter((name) => name !== '*');
  expect(names.filter((name) => !readPage(page).includes(`\`${name}\``))).toEqual([]);
});

it('the template of docs/broadcasts.md passes the check of a save', () => {
  const templates = blocksOf(page).filter(({ language }) => language === 'liquid');
  expect(templates).toHaveLength(1);
  expect(isTemplate(templates[0]!.text)).toBe(true);
  expect(checkTemplate(templates[0]!.text)).toEqual([]);
});
