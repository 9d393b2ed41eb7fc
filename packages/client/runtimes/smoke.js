import { createClient, InvalidRequestError } from '../dist/index.js';

/** Uses each part of the built client once. Knows no runtime. @returns what the service answered */
export async function smoke(baseUrl, apiKey) {
  const client = createClient({ baseUrl, apiKey });
  await client.post('/v1/send-event', { event: 'smoke', user_id: 1 });
  const queue = client.eventQueue();
  for (let n = 0; n < 3; n++) queue.add({ event: 'smoke', user_id: 1, value_num: '0.10' });
  const { sent, failed } = await queue.close();
  const { code } = await client.post('/v1/referral/create-code', { user_id: 1 });
  const codes = [];
  for await (const user of client.pages('/v1/referral/referrals', { user_id: 1 })) codes.push(user);
  const refused = await client.post('/v1/send-event', { event: '', user_id: 1 }).catch((error) => error);
  return {
    sent,
    failed,
    hasCode: code.length > 0,
    referrals: codes.length,
    refused: refused instanceof InvalidRequestError,
  };
}
