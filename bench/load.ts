import autocannon from 'autocannon';

export interface Load {
  readonly address: string;
  readonly apiKey: string;
  /** Sent one after the other, cyclically. */
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; if absent, as many as possible. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** POSTs the bodies again and again on keep-alive connections. @throws if an answer is not 200 */
export async function postLoad({ address, apiKey, bodies, seconds, connections, rate }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: `${address}/v1/send-event`,
    requests: bodies.map((body) => ({
      method: 'POST' as const,
      headers: { 'content-type': 'application/json', 'api-key': apiKey },
      body,
    })),
    duration: seconds,
    connections,
    ...(rate !== undefined && { overallRate: rate }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 200, ${result.errors} requests failed`);
  return {
    requestsPerSecond: result.requests.total / result.duration,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
