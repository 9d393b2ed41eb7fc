import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longRows } from '../support/long-only.ts';
import { type ForwarderScene, forwarderScenarios } from './forwarder-scenarios.ts';
import { frameworks, runFramework } from './forwarder-task.ts';
import { type Surroundings, stageOf, surroundings } from './stage.ts';

/** Every middleware follows the rules of docs/forwarder.md, each in its framework. */

let around: Surroundings;
const table: Record<string, Record<string, string>> = {};
beforeAll(async () => {
  around = await surroundings();
});
afterAll(async () => {
  await around.stop();
  console.table(table);
});

/** Telegraf's middleware has the forwarder of grammY's, and aiogram's has tests of its package besides. */
const isShort = ({ name }: { readonly name: string }): boolean => name === 'grammy';
const tried = [...frameworks.filter(isShort), ...longRows(frameworks.filter((each) => !isShort(each)))];

describe.each(tried)('the middleware of $name', (framework) => {
  const { lacks } = framework;
  if (lacks !== undefined) console.warn(`the middleware of ${framework.name} is not tested here, for want of ${lacks}`);

  it.skipIf(lacks !== undefined).each(Object.entries(forwarderScenarios))('%s', async (name, scenario) => {
    const row = { ...table[name], [framework.name]: 'failed' };
    table[name] = row;
    const stage = await stageOf(around);
    around.proxy.plan();
    const scene: ForwarderScene = {
      ...around,
      ...stage,
      async run(steps, options = {}) {
        const task = { base_url: around.proxy.url, api_key: stage.bot.apiKey, max_delay_ms: 1000, ...options };
        const ran = await runFramework(framework, { ...task, steps: [...steps, { do: 'close' }] });
        if (ran === null) throw new Error('the program was killed');
        return ran;
      },
      async runUntilKilled(steps, options = {}) {
        const task = { base_url: around.proxy.url, api_key: stage.bot.apiKey, max_delay_ms: 10, ...options };
        expect(
          await runFramework(framework, { ...task, steps: [...steps, { do: 'kill', after_ms: 1000 }] }),
        ).toBeNull();
      },
    };
    await scenario(scene);
    row[framework.name] = 'passed';
  });
});

it('each rule has a test', async () => {
  const { readFileSync } = await import('node:fs');
  const page = readFileSync(new URL('../../docs/forwarder.md', import.meta.url), 'utf8');
  const rules = [...page.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => number);
  const tested = new Set(Object.keys(forwarderScenarios).map((name) => name.split(':')[0]));
  expect([...tested]).toEqual(rules);
});
