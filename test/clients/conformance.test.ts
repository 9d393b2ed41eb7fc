import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from './client-program.ts';
import { clients } from './clients.ts';
import { type Scene, scenarios } from './scenarios.ts';
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

describe.each(clients)('the client $name', (client) => {
  const { lacks } = client;
  if (lacks !== undefined) console.warn(`the client ${client.name} is not tested here, for want of ${lacks}`);

  it.skipIf(lacks !== undefined).each(Object.entries(scenarios))('%s', async (name, scenario) => {
    const row = { ...table[name], [client.name]: 'failed' };
    table[name] = row;
    const stage = await stageOf(around);
    const scene: Scene = {
      ...around,
      ...stage,
      run: (actions, options = {}) =>
        runProgram(client, { base_url: around.proxy.url, api_key: stage.bot.apiKey, ...OPTIONS, ...options, actions }),
    };
    await scenario(scene);
    row[client.name] = 'passed';
    expect(around.platform.mistakes).toEqual([]);
  });
});
