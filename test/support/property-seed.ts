import fc from 'fast-check';

/**
 * Every run tries the same cases of a property, so that a red build means a change. `PROPERTY_SEED=random npm test`, or
 * a number, draws other cases. `npm run test:long` draws random ones unless it is given the number of a failed case.
 */
const given = process.env['PROPERTY_SEED'] ?? '20260101';
if (given !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
