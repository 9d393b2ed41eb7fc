import { expect, it } from 'vitest';
import { type Places, settled, takeIn } from '../../../src/processes/accruals/places.ts';

const placesAt = (...reached: [number, string][]): Places => ({ reached: new Map(reached), waiting: new Map() });

it('what is set aside beyond where was walked is walked from there once it is not, in its partition alone', () => {
  const places = placesAt([0, '0:5'], [1, '1:5']);
  takeIn(places, new Map([['a', '0:7']]));
  places.reached.set(0, '0:9').set(1, '1:9');
  expect(settled(places)).toEqual(
    new Map([
      [0, '0:5'],
      [1, '1:9'],
    ]),
  );
  takeIn(places, new Map([['a', '0:7']]));
  expect(places.reached.get(0)).toBe('0:9');
  takeIn(places, new Map());
  expect(places).toEqual(placesAt([0, '0:5'], [1, '1:9']));
  expect(settled(places)).toEqual(places.reached);
});

it('what is set aside where was walked before, nobody knows from where: from the beginning', () => {
  const places = placesAt([0, '0:5']);
  takeIn(places, new Map([['a', '0:5']]));
  expect(settled(places)).toEqual(new Map());
  takeIn(places, new Map([['b', '0:8']]));
  expect(places.reached).toEqual(new Map());
  expect(settled(places)).toEqual(new Map());
});

it('of several the first counts, until it is there', () => {
  const places = placesAt([0, '0:1']);
  takeIn(places, new Map([['a', '0:2']]));
  places.reached.set(0, '0:4');
  const both = new Map([
    ['a', '0:2'],
    ['b', '0:6'],
  ]);
  takeIn(places, both);
  places.reached.set(0, '0:8');
  expect(settled(places).get(0)).toBe('0:1');
  both.delete('a');
  takeIn(places, both);
  expect(places.reached.get(0)).toBe('0:1');
  places.reached.set(0, '0:8');
  expect(settled(places).get(0)).toBe('0:4');
});
