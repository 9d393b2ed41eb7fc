import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FILE_FIELDS, type Method, RULES } from './bot-api-rules.ts';

/** A call that arrived completely. */
export interface Call {
  /** From 1, over all calls. */
  readonly n: number;
  readonly token: string;
  readonly method: Method;
  readonly chatId: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** When its last byte arrived, ms of a monotonic clock. */
  readonly at: number;
}

/** How a call is answered. By default, as the platform answers for a delivered message. */
export interface Behaviour {
  readonly delayMs?: number;
  /** Answers when this is fulfilled. */
  readonly after?: Promise<unknown>;
  readonly error?: { readonly code: number; readonly description: string; readonly parameters?: object };
  /** The body is sent unchanged, with this status. */
  readonly raw?: { readonly status: number; readonly body: string };
  /** Cuts the connection after reading the call. */
  readonly reset?: true;
  /** Never answers. */
  readonly hang?: true;
}

export interface BotApiServer {
  /** TELEGRAM_API_ROOT. */
  readonly root: string;
  /** All calls so far, in the order of their arrival. */
  readonly calls: readonly Call[];
  /** The problems of the calls that were answered with 400 because they broke the rules of the interface. */
  readonly mistakes: readonly string[];
  /** Sets the behaviour of each call; undefined means delivered. */
  behave(decide: (call: Call) => Behaviour | undefined): void;
  /** Cuts new connections at once, before reading from them. */
  refuse(whether: boolean): void;
  /** Stops listening, as a platform that is down; `up` listens again on the same port. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** A stand-in for the platform's bot interface that reports every call that the platform would refuse or partly ignore. */
export async function startBotApi(): Promise<BotApiServer> {
  const calls: Call[] = [];
  const mistakes: string[] = [];
  const sockets = new Set<Socket>();
  let decide: (call: Call) => Behaviour | undefined = () => undefined;
  let refusing = false;
  let port = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => mistakes.push(String(error)));
  });
  server.on('connection', (socket) => {
    if (refusing) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const at = performance.now();
    const read = readCall(request, Buffer.concat(chunks).toString());
    if (typeof read === 'string') {
      mistakes.push(read);
      return send(response, 400, { ok: false, error_code: 400, description: `Bad Request: ${read}` });
    }
    const call = { ...read, n: calls.length + 1, at };
    calls.push(call);
    const { delayMs, after, error, raw, reset, hang } = decide(call) ?? {};
    await after;
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (hang === true) return;
    if (reset === true) return void request.socket.resetAndDestroy();
    if (raw !== undefined) return void response.writeHead(raw.status).end(raw.body);
    if (error !== undefined) {
      const { code: error_code, description, parameters } = error;
      return send(response, error_code, { ok: false, error_code, description, ...(parameters && { parameters }) });
    }
    send(response, 200, { ok: true, result: resultOf(call) });
  }

  await listen(server, 0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  port = address.port;
  const down = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    root: `http://127.0.0.1:${port}`,
    calls,
    mistakes,
    behave: (given) => {
      decide = given;
    },
    refuse: (whether) => {
      refusing = whether;
      if (whether) for (const socket of sockets) socket.destroy();
    },
    down,
    up: () => listen(server, port),
    close: async () => {
      if (server.listening) await down();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const PATH = /^\/bot(\d+:[\w-]+)\/(\w+)$/;

/** @returns the call, or its problem as text */
function readCall(request: IncomingMessage, body: string): Omit<Call, 'n' | 'at'> | string {
  const [, token, method] = PATH.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || token === undefined) return `no call: ${request.method} ${request.url}`;
  if (request.headers['content-type'] !== 'application/json') return 'not JSON';
  if (!isMethod(method)) return `unknown method ${method}`;
  const checked = RULES[method].safeParse(JSON.parse(body));
  if (!checked.success) return `${method}: ${checked.error.issues.map(problemOf).join(', ')}`;
  return { token, method, chatId: checked.data.chat_id, parameters: checked.data };
}

function problemOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${path.join('.')}: ${message}`;
}

function isMethod(name: string | undefined): name is Method {
  return name !== undefined && name in RULES;
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

/** The sent message, with the fields that the client reads. A file has the id `id of <URL>`. */
function resultOf({ n, method, chatId, parameters }: Call): unknown {
  if (method === 'pinChatMessage') return true;
  const message = { message_id: n, date: 1_700_000_000, chat: { id: chatId, type: chatId > 0 ? 'private' : 'group' } };
  if (method === 'sendMediaGroup') {
    const { media } = parameters as { media: { type: string; media: string }[] };
    return media.map((item, i) => ({ ...message, message_id: n * 100 + i, ...fileOf(item.type, item.media) }));
  }
  const field = FILE_FIELDS[method];
  return field === undefined
    ? { ...message, text: parameters['text'] }
    : { ...message, ...fileOf(field, String(parameters[field])) };
}

/** A photo comes in several sizes, the largest last. */
function fileOf(field: string, sent: string): object {
  const file = { file_id: fileIdOf(sent), file_unique_id: 'u' };
  return { [field]: field === 'photo' ? [{ ...file, file_id: `small ${sent}` }, file] : file };
}

function fileIdOf(sent: string): string {
  return /^https?:/.test(sent) ? `id of ${sent}` : sent;
}
