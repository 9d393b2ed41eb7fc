import { expect, it } from 'vitest';
import { scriptedClient } from '../../support/scripted-client.ts';

const page = (...ids: number[]) => ({
  body: { ok: true, data: { accruals: ids.map((id) => ({ id, amount: 5 })), data_as_of: 'now' } },
});

async function idsOf(items: AsyncIterable<{ readonly id: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

it('reads a list page by page, until one is not full', async () => {
  const { client, sent, answer } = scriptedClient();
  answer(page(9, 8, 7), page(6, 5, 4), page());
  const items = client.pages('/v1/referral/accruals', { user_id: 1, limit: 3, offset: 2 });
  expect(await idsOf(items)).toEqual([9, 8, 7, 6, 5, 4]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    '?user_id=1&limit=3&offset=2',
    '?user_id=1&limit=3&offset=5',
    '?user_id=1&limit=3&offset=8',
  ]);
});

it('asks for 200 items by default and at most, since a longer page would look like the last one', async () => {
  const { client, sent, answer } = scriptedClient();
  answer(page(1), page(1));
  await idsOf(client.pages('/v1/referral/accruals', { user_id: 1 }));
  await idsOf(client.pages('/v1/referral/accruals', { user_id: 1, limit: 1000 }));
  expect(sent.map(({ url }) => new URL(url).searchParams.get('limit'))).toEqual(['200', '200']);
});

it('gives an item once, if a newer one moves the list between two pages', async () => {
  const { client, answer } = scriptedClient();
  const changed = {
    body: {
      ok: true,
      data: {
        accruals: [
          { id: 7, amount: 6 },
          { id: 6, amount: 5 },
        ],
      },
    },
  };
  answer(page(9, 8, 7), changed);
  expect(await idsOf(client.pages('/v1/referral/accruals', { user_id: 1, limit: 3 }))).toEqual([9, 8, 7, 6]);
});

it('reads no page that its caller does not need', async () => {
  const { client, sent, answer } = scriptedClient();
  answer(page(9, 8));
  for await (const { id } of client.pages('/v1/referral/accruals', { user_id: 1, limit: 2 })) if (id === 9) break;
  expect(sent).toHaveLength(1);
});
