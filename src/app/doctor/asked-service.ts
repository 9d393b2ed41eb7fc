import type { Config } from '../../config.ts';

/** The answers of the service on HOST and PORT. */
export interface AskedService {
  readonly address: string;
  /** `silent`: there is no answer. */
  readonly state: 'ready' | 'not ready' | 'silent';
  /** Why it is not ready. */
  readonly reason: string;
  /** The text of `/metrics`, or nothing. */
  readonly metrics: string;
}

export async function askService({ HOST, PORT }: Config, withinMs: number): Promise<AskedService> {
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
  const ask = (path: string): Promise<Response> => fetch(address + path, { signal: AbortSignal.timeout(withinMs) });
  try {
    const ready = await ask('/ready');
    const body = (await ready.json()) as { readonly error?: unknown };
    const metrics = await ask('/metrics')
      .then((answer) => answer.text())
      .catch(() => '');
    return { address, state: ready.ok ? 'ready' : 'not ready', reason: String(body.error ?? ''), metrics };
  } catch {
    // Nothing listens there, or another kind of server.
    return { address, state: 'silent', reason: '', metrics: '' };
  }
}
