import { describe, expect, it } from 'vitest';
import { parseUtm } from '../../../src/domain/intake/utm.ts';

const DEFAULT = { pair: '_', value: '-' };
const NONE = { source: null, medium: null, campaign: null, term: null, content: null };

describe('a start payload read as UTM', () => {
  it.each([
    ['utm_source-ads_utm_medium-cpc', { source: 'ads', medium: 'cpc' }],
    [
      'source-ads_medium-cpc_campaign-may_term-t_content-c',
      { source: 'ads', medium: 'cpc', campaign: 'may', term: 't', content: 'c' },
    ],
    ['utmsource-ads', { source: 'ads' }],
    ['source-a_source-b', { source: 'b' }],
    ['source-a-b-c', { source: 'a-b-c' }],
    ['medium-cpc_junk_other-x', { medium: 'cpc' }],
    ['partner42', { source: 'partner42' }],
    ['some_words', { source: 'some_words' }],
    ['utm', { source: 'utm' }],
    ['ref-abc', { source: 'ref-abc' }],
    ['source-_medium-x', { medium: 'x' }],
    ['source-', { source: 'source-' }],
    ['__proto__-x', { source: '__proto__-x' }],
  ])('%s', (payload, utm) => {
    expect(parseUtm(payload, DEFAULT)).toEqual({ ...NONE, ...utm });
  });

  it('takes the bot’s separators', () => {
    expect(parseUtm('utm_source--ads__utm_medium--cpc', { pair: '__', value: '--' })).toEqual({
      ...NONE,
      source: 'ads',
      medium: 'cpc',
    });
  });

  it('has no source in a referral code, but keeps its pairs', () => {
    expect(parseUtm('Ab3dEf9h', DEFAULT, true)).toBeNull();
    expect(parseUtm('source-ads', DEFAULT, true)).toEqual({ ...NONE, source: 'ads' });
  });
});
