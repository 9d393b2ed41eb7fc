import { startTestInstance } from './service.ts';
import { watchedReadModels } from './watched-read-models.ts';

/** A program: the service, whose read model `events` cannot take commits with the causation `poison`, unless REPAIRED=1. */
const isRepaired = process.env['REPAIRED'] === '1';
const models = watchedReadModels((name, commits) => {
  if (name === 'events' && !isRepaired && commits.some(({ causation }) => causation === 'poison'))
    throw new TypeError('this commit cannot be taken');
});
await startTestInstance(process.env as Record<string, string>, models);
