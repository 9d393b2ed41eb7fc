import { expect, test } from 'vitest';
import { asText } from '../../../src/cli/output.ts';

test('a row of a table is one line, also if an error has several lines', () => {
  const rows = [
    { name: 'users', error: 'not an array\n  → at items', next_command: 'retry' },
    { name: 'events', error: null, next_command: null },
  ];
  expect(asText(rows)).toBe(
    [
      'name    error                    next_command',
      'users   not an array → at items  retry',
      'events  -                        -',
      '',
    ].join('\n'),
  );
  expect(asText(rows[0])).toBe('name: users\nerror: not an array → at items\nnext_command: retry\n');
});
