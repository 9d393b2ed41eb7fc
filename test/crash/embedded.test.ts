import { test } from 'vitest';
import { crashEmbedded } from './embedded.ts';

test('kill -9 of the service, of PostgreSQL and of both, 3 rounds', () => crashEmbedded(3), 180_000);
