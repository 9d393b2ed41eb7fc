import { setExchangeRates as decide, type ExchangeRate, exchangeRates } from '../../domain/catalog/exchange-rates.ts';
import { Rejection } from '../../domain/rejection.ts';
import { EXCHANGE_RATES_STREAM } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';

/** A rate takes about 110 bytes, so a commit stays below 1 MB, Kafka's default limit. */
const RATES_PER_COMMIT = 5000;

/**
 * Sets rates, in the order given. Checks all rates before it appends the first. Paths of a rejection start with the index
 * of the rate.
 * @throws Rejection
 */
export async function setExchangeRates(
  context: CommandContext,
  rates: readonly ExchangeRate[],
): Promise<{ position: Position | undefined }> {
  const check = decide(exchangeRates.initialState(), rates);
  if (check instanceof Rejection) throw check;
  let position: Position | undefined;
  for (let start = 0; start < rates.length; start += RATES_PER_COMMIT) {
    const chunk = rates.slice(start, start + RATES_PER_COMMIT);
    ({ position } = await decideAndAppend(context, exchangeRates, EXCHANGE_RATES_STREAM, (state) =>
      decide(state, chunk),
    ));
  }
  return { position };
}
