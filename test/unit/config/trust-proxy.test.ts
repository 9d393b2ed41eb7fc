import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config.ts';

it.each([
  [undefined, false],
  ['', false],
  ['false', false],
  ['0', false],
  ['true', 1],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8, 192.168.1.5,fd00::/8', ['10.0.0.0/8', '192.168.1.5', 'fd00::/8']],
])('TRUST_PROXY=%s is %j', (text, proxies) => {
  expect(readConfig({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(proxies);
});

it.each(['yes', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.1/', '10.0.0.1,', '-1', '10.0.0', 'fd00::/129'])(
  'TRUST_PROXY=%s is refused',
  (text) => expect(() => readConfig({ TRUST_PROXY: text })).toThrow(ConfigError),
);
