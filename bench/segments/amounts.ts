import { type Chunk, type CodedColumn, codedOf, newCodes, numbersOf } from '../../src/columns/chunk.ts';
import { DecimalColumn, scaledDecimalsOf } from '../../src/columns/decimals.ts';
import { currencyDigits } from '../../src/domain/catalog/checks.ts';
import { convert, minorValue, normalValue } from '../../src/domain/intake/amounts.ts';

/** The facts of a bot and its owner that amounts follow from, besides an event's value, unit, type and day. */
export interface Money {
  /** Grows with each change of rates, currencies or units. */
  readonly changes: number;
  readonly currency: string | null;
  /** Decimals of the bot's own units. */
  readonly units: Readonly<Record<string, { readonly scale: number }>>;
  /** By unit, in the order of days: the rates to the currency. */
  readonly rates: ReadonlyMap<string, readonly { readonly day: number; readonly rate: string }[]>;
  readonly targets: ReadonlySet<number>;
  readonly systemEvents: ReadonlySet<number>;
}

const DAY_MS = 86_400_000;
const DECIMALS = 6;

type Kind = 'send-target' | 'send-update' | 'send-event';

/** A way to convert values: all events of a unit, a kind and a rate share it. */
interface Price {
  readonly kind: Kind;
  readonly scale: number | null;
  readonly rate: string;
}

const derived = new WeakMap<CodedColumn, { readonly changes: number; readonly amounts: CodedColumn }>();

/** The amounts of a chunk in the currency of the bot's owner, from its values as sent. Kept until rates change. */
export function amountsOf(chunk: Chunk, money: Money): CodedColumn {
  const values = codedOf(chunk, 'value_int');
  const known = derived.get(values);
  if (known?.changes === money.changes) return known.amounts;
  const amounts = derive(chunk, values, money);
  derived.set(values, { changes: money.changes, amounts });
  return amounts;
}

function derive(chunk: Chunk, values: CodedColumn, money: Money): CodedColumn {
  const units = codedOf(chunk, 'unit');
  const scaled = scaledDecimalsOf(values);
  if (units.values.length === 1 && scaled !== null && scaled.decimals <= DECIMALS) return values;
  const count = values.codes.length;
  const texts = values.values;
  const prices = pricesOf(chunk, money);
  const codes = new Uint32Array(count);
  const made: (string | null)[] = [null];
  const codeOf = new Int32Array(texts.length * (prices.all.length + 1));
  for (let i = 0; i < count; i++) {
    const value = values.codes[i]!;
    const price = prices.at[i]!;
    if (value === 0 || price < 0) continue;
    const key = price * texts.length + value;
    let code = codeOf[key]!;
    if (code === 0) {
      codeOf[key] = code = made.length;
      const integer = scaled === null ? null : { integer: scaled.integers[value]!, decimals: scaled.decimals };
      made.push(amountOf(texts[value] as string, integer, prices.all[price]!));
    }
    codes[i] = code;
  }
  const used = newCodes(made.length, count);
  used.set(codes);
  return new DecimalColumn(used, Buffer.from(JSON.stringify(made)), made.length);
}

const NO_UNIT: Price = { kind: 'send-event', scale: null, rate: '1' };

/** Each event's price; -1: it has none. */
function pricesOf(chunk: Chunk, money: Money): { readonly all: readonly Price[]; readonly at: Int32Array } {
  const units = codedOf(chunk, 'unit');
  const types = codedOf(chunk, 'event_id');
  const dates = numbersOf(chunk, 'date');
  const kinds = types.values.map(
    (id): Kind =>
      money.targets.has(id as number)
        ? 'send-target'
        : money.systemEvents.has(id as number)
          ? 'send-update'
          : 'send-event',
  );
  const all: Price[] = [NO_UNIT];
  const numbers = new Map<string, number>();
  const at = new Int32Array(dates.length);
  let day = Number.NaN;
  let ofDay = new Map<number, number>();
  for (let i = 0; i < dates.length; i++) {
    const unit = units.codes[i]!;
    if (unit === 0) continue;
    const today = Math.floor(dates[i]! / DAY_MS);
    if (today !== day) [day, ofDay] = [today, new Map()];
    const kind = kinds[types.codes[i]!]!;
    const key = unit * 4 + kind.length - 10; // the lengths of the kinds differ
    let number = ofDay.get(key);
    if (number === undefined) {
      const price = priceOf(units.values[unit] as string, kind, day, money);
      const name = JSON.stringify(price);
      number = price === null ? -1 : (numbers.get(name) ?? all.push(price) - 1);
      numbers.set(name, number);
      ofDay.set(key, number);
    }
    at[i] = number;
  }
  return { all, at };
}

function priceOf(unit: string, kind: Kind, day: number, { currency, units, rates }: Money): Price | null {
  const own = units[unit]?.scale;
  const scale = kind === 'send-update' ? (currencyDigits(unit) ?? own) : (own ?? currencyDigits(unit));
  if (scale === undefined || currency === null) return null;
  const rate = unit === currency ? '1' : rates.get(unit)?.findLast((each) => each.day <= day)?.rate;
  return rate === undefined ? null : { kind, scale, rate };
}

/** Exact: in doubles while all integers are exact in them, else by Big. */
function amountOf(
  text: string,
  scaled: { readonly integer: number; readonly decimals: number } | null,
  { kind, scale, rate }: Price,
): string {
  const point = rate.indexOf('.');
  const rateDecimals = point < 0 ? 0 : rate.length - point - 1;
  const product = scaled === null ? Number.NaN : scaled.integer * Number(rate.replace('.', ''));
  const decimals = (scaled?.decimals ?? 0) + rateDecimals + (kind === 'send-target' ? 0 : (scale ?? 0));
  if (Number.isSafeInteger(product) && decimals <= 20) {
    const divisor = 10 ** Math.max(0, decimals - DECIMALS);
    const magnitude = Math.abs(product);
    const rest = magnitude % divisor;
    const rounded = (magnitude - rest) / divisor + (2 * rest >= divisor && rest > 0 ? 1 : 0);
    return decimalText(product < 0 && rounded > 0, rounded, Math.min(decimals, DECIMALS));
  }
  const { normal } = kind === 'send-target' ? normalValue(text, scale) : minorValue(text, scale);
  return convert(normal!, rate);
}

function decimalText(isNegative: boolean, integer: number, decimals: number): string {
  const digits = String(integer).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
