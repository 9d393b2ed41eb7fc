import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longRows } from '../support/long-only.ts';
import { runProgram } from './client-program.ts';
import { clients } from './clients.ts';
import { scenarios } from './scenarios.ts';
import type { Scene } from './scene.ts';
import { type Surroundings, stageOf, surroundings } from './stage.ts';

/** Every client does the same through the same failures (README.md of this folder). */

const OPTIONS = { max_retries: 2, timeout_ms: 20_000, delay_factor: 0.01 };

let around: Surroundings;
const table: Record<string, Record<string, string>> = {};
beforeAll(async () => {
  around = await surroundings();
});
afterAll(async () => {
  await around.stop();
  console.table(table);
});

/** The Python client also has tests of its package, on a stub and on the service. */
const isShort = ({ name }: { readonly name: string }): boolean => name !== 'python';
const tried = [...clients.filter(isShort), ...longRows(clients.filter((each) => !isShort(each)))];

describe.each(tried)('the client $name', (client) => {
  const { lacks } = client;
  if (lacks !== undefined) console.warn(`the client ${client.name} is not tested here, for want of ${lacks}`);

  it.skipIf(lacks !== undefined).each(Object.entries(scenarios))('%s', async (name, scenario) => {
    const row = { ...table[name], [client.name]: 'failed' };
    table[name] = row;
    const stage = await stageOf(around);
    const scene: Scene = {
      ...around,
      ...stage,
      async run(actions, options = {}) {
        const task = { base_url: around.proxy.url, api_key: stage.bot.apiKey, ...OPTIONS, ...options, actions };
        const results = await runProgram(client, task);
        if (results === null) throw new Error('the program was killed');
        return results;
      },
      async runUntilKilled(action) {
        const task = { base_url: around.proxy.url, api_key: stage.bot.apiKey, ...OPTIONS, actions: [action] };
        expect(await runProgram(client, task)).toBeNull();
      },
    };
    await scenario(scene);
    row[client.name] = 'passed';
    expect(around.platform.mistakes).toEqual([]);
  });
});
