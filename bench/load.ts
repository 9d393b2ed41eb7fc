import autocannon from 'autocannon';

export interface Load {
  readonly address: string;
  readonly apiKey: string;
  readonly body: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** POSTs the body over and over on keep-alive connections. @throws when an answer is not 200 */
export async function postLoad({ address, apiKey, body, seconds, connections }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: `${address}/v1/send-event`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': apiKey },
    body,
    duration: seconds,
    connections,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 200, ${result.errors} requests failed`);
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
