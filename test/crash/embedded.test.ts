import { test } from 'vitest';
import { crashEmbedded } from './embedded.ts';

/** `npm run test:long` has more rounds. */
test('kill -9 of the service, of PostgreSQL or of both', () => crashEmbedded(1));
