import { describe, it } from 'vitest';
import {
  type ExchangeRate,
  type ExchangeRatesEvent,
  exchangeRates,
  setExchangeRates,
} from '../../../src/domain/catalog/exchange-rates.ts';
import { given } from '../../support/decider-specification.ts';

const rate: ExchangeRate = { from: 'EUR', to: 'USD', rate: '1.1', date: '2025-01-15' };
const set = (changes: Partial<ExchangeRate> = {}): ExchangeRatesEvent => ({
  type: 'exchange_rate_set',
  data: { ...rate, ...changes },
});

describe('exchange rates', () => {
  it('are recorded in capitals and without superfluous zeros', () => {
    given(exchangeRates)
      .when((state) => setExchangeRates(state, [{ ...rate, from: 'eur', rate: '01.100' }]))
      .yields(set());
  });

  it('replace an earlier rate of the same day, and record no rate that is equal', () => {
    given(exchangeRates, set(), set({ date: '2025-01-14', rate: '9' }))
      .when((state) => setExchangeRates(state, [rate, { ...rate, date: '2025-01-14' }]))
      .yields(set({ date: '2025-01-14' }));
    given(exchangeRates, set(), set({ rate: '1.2' }))
      .when((state) => setExchangeRates(state, [rate]))
      .yields(set());
  });

  it('of one call: the last rate of a day counts', () => {
    given(exchangeRates, set())
      .when((state) => setExchangeRates(state, [{ ...rate, rate: '2' }, rate]))
      .yieldsNothing();
  });

  it('accept the largest and the smallest allowed rate', () => {
    const smallest = `0.${'0'.repeat(29)}1`;
    given(exchangeRates)
      .when((state) =>
        setExchangeRates(state, [
          { ...rate, rate: '1000000000000000' },
          { ...rate, to: 'GBP', rate: smallest },
        ]),
      )
      .yields(set({ rate: '1000000000000000' }), set({ to: 'GBP', rate: smallest }));
  });

  it.each<[string, Partial<ExchangeRate>]>([
    ['from', { from: '' }],
    ['to', { to: 'EURO' }],
    ['to', { to: 'eur' }],
    ['rate', { rate: '0' }],
    ['rate', { rate: '0.000' }],
    ['rate', { rate: '-1' }],
    ['rate', { rate: '1e5' }],
    ['rate', { rate: 'one' }],
    ['rate', { rate: '1000000000000000.1' }],
    ['rate', { rate: `0.${'0'.repeat(30)}1` }],
    ['date', { date: '2025-02-29' }],
    ['date', { date: '1969-12-31' }],
    ['date', { date: '2101-01-01' }],
    ['date', { date: '15.01.2025' }],
  ])('are refused together for one wrong %s: %j', (field, wrong) => {
    given(exchangeRates)
      .when((state) => setExchangeRates(state, [rate, { ...rate, ...wrong }]))
      .isRefused('invalid', `1.${field}`);
  });
});
