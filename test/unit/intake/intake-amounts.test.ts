import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convert, decimalText, minorValue, normalValue, roundedText } from '../../../src/domain/intake/amounts.ts';

describe('values', () => {
  it('of custom events come in minor units', () => {
    expect(minorValue('1050', 2)).toEqual({ minor: '1050', normal: '10.5' });
    expect(minorValue('1050', 0)).toEqual({ minor: '1050', normal: '1050' });
    expect(minorValue('1050', 3)).toEqual({ minor: '1050', normal: '1.05' });
    expect(minorValue('0.1', null)).toEqual({ minor: '0.1', normal: '0.1' });
    expect(minorValue('7', undefined)).toEqual({ minor: '7', normal: null });
  });

  it('of target events come in normal units', () => {
    expect(normalValue('10.5', 2)).toEqual({ minor: '1050', normal: '10.5' });
    expect(normalValue('10.505', 2)).toEqual({ minor: '1050.5', normal: '10.505' });
    expect(normalValue('10.5', undefined)).toEqual({ minor: '10.5', normal: null });
  });

  it('lose no digit', () => {
    const value = `1${'0'.repeat(15)}.${'0'.repeat(29)}1`;
    expect(minorValue(value, 18).normal).toBe(`0.001${'0'.repeat(44)}1`);
  });
});

describe('a number beyond 30 digits after the point', () => {
  it.each([
    [new Big('5.551115123125783e-17'), '0.000000000000000055511151231258'],
    [new Big('-5e-31'), '-0.000000000000000000000000000001'],
    [new Big('-4e-31'), '0'],
    [-1e-40, '0'],
    [new Big('1e-1000000'), '0'],
  ])('%s is rounded to %s in an event, and refused as money', (number, text) => {
    expect(roundedText(number)).toBe(text);
    expect(decimalText(number)).toBeNull();
  });

  it('does not make room beyond 10^15', () => {
    const most = new Big(`1${'0'.repeat(15)}`);
    expect([most, most.plus('1e-31')].map(roundedText)).toEqual([most.toFixed(), null]);
  });
});

describe('an amount', () => {
  it.each([
    ['1.0000005', '1', '1.000001'],
    ['-1.0000005', '1', '-1.000001'],
    ['1.0000004999', '1', '1'],
    ['0.1', '0.2', '0.02'],
    ['-0.0000001', '1', '0'],
  ])('%s at %s is %s', (normal, rate, amount) => {
    expect(convert(normal, rate)).toBe(amount);
  });

  it('is rounded once, half away from zero', () => {
    const decimal = fc.record({
      digits: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      scale: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const product = a.digits * b.digits * 10n ** 6n;
        const unit = 10n ** BigInt(a.scale + b.scale);
        const rounded = (abs(product) * 2n + unit) / (2n * unit);
        const amount = convert(textOf(a), textOf(b));
        const [whole, fraction = ''] = amount.split('.');
        expect(BigInt(`${whole}${fraction.padEnd(6, '0')}`)).toBe(product < 0n ? -rounded : rounded);
      }),
    );
  });
});

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function textOf({ digits, scale }: { digits: bigint; scale: number }): string {
  const text = abs(digits)
    .toString()
    .padStart(scale + 1, '0');
  const point = text.length - scale;
  return `${digits < 0n ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}0`;
}
