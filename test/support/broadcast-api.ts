import { type Answer, startTestInstance, startTestService, type TestService } from './service.ts';

/** The endpoints of broadcasts on a service without processes: nothing is sent unless the test sends it. */
export interface BroadcastApi {
  readonly service: TestService;
  readonly address: string;
  /** `POST /v1/broadcast/<method>`; a text body is sent unchanged. */
  post(method: string, body: unknown, headers: Record<string, string>): Promise<Answer>;
  /** `GET /v1/broadcast/<path>`. */
  get(path: string, headers: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export async function broadcastApi(): Promise<BroadcastApi> {
  const service = await startTestService({ ROLE: 'projector' });
  const api = await startTestInstance({ ...service.env, ROLE: 'api' });
  async function request(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${api.address}/v1/broadcast/${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  return {
    service,
    address: api.address,
    post: (method, body, headers) =>
      request(method, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers) => request(path, { headers }),
    async stop() {
      await api.stop();
      await service.stop();
    },
  };
}
