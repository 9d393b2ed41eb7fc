import { expect, test } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/database/database-errors.ts';
import { isPassing } from '../../../src/log/is-passing.ts';
import {
  BrokenChainError,
  ConflictError,
  LogSilentError,
  LogUnavailableError,
  OutcomeUnknownError,
} from '../../../src/log/port.ts';

test('an error passes if the log or the database does not answer, or if another writer was faster', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const internal = (message: string) => Object.assign(new Error(message), { code: 'XX000' });
  const passing = [
    internal('failure on connection marked as essential: 127.0.0.1:5434'),
    new ConflictError('a', 1, 2),
    new LogUnavailableError('down'),
    new LogSilentError('silent'),
    new OutcomeUnknownError('unknown'),
    new DatabaseUnavailableError('down'),
    refused,
  ];
  expect(passing.filter((error) => !isPassing(error))).toEqual([]);
  const lasting = [
    new Error('a bug'),
    internal('cache lookup failed'),
    new BrokenChainError('a', 1, 'broken'),
    'no error',
    null,
  ];
  expect(lasting.filter(isPassing)).toEqual([]);
});
