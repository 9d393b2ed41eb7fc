import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A proxy in front of a server that simulates its outages. */
export interface TcpProxy {
  /** The server's URL with the proxy's address in it. */
  readonly url: string;
  /** Behaves like a server that is down: cuts connections and refuses new ones. */
  refuse(): Promise<void>;
  /** Behaves like a server that is stopped or cut off: connections stay, but carry no data. */
  freeze(): void;
  /** Cuts the connection that is about to carry this text to the server, once. Resolves then. */
  cutAt(text: string): Promise<void>;
  /** The server is back; frozen connections continue. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function tcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let frozen = false;
  let awaited: { readonly text: string; readonly found: () => void } | null = null;
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    const cutter = new Transform({
      transform(chunk: Buffer, _, pass) {
        if (awaited === null || !chunk.includes(awaited.text)) return pass(null, chunk);
        awaited.found();
        awaited = null;
        client.destroy();
        pass();
      },
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}); // the other end learns it from the cut
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (from === client) from.pipe(cutter).pipe(to);
      else from.pipe(to);
      if (frozen) from.pause();
    }
  });
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = async (): Promise<void> => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    refuse: cut,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    cutAt: (text) =>
      new Promise((found) => {
        awaited = { text, found };
      }),
    async restore() {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
}
