import fc from 'fast-check';

/**
 * The same cases of every property in each run, so that a red build means a change; `PROPERTY_SEED=random npm test`,
 * or a number, draws others, as `npm run test:long` does unless it is given a number: that of a case that failed.
 */
const given = process.env['PROPERTY_SEED'] ?? '20260101';
if (given !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
