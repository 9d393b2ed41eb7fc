import { connect } from 'node:net';
import type { Address } from '../log/engine.ts';

/** Whether a server accepts a TCP connection within `ms`. The operating system of a slow server accepts it, too. */
export function isReachable({ host, port }: Address, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ms });
    const end = (reached: boolean) => (): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', end(true));
    socket.once('timeout', end(false));
    socket.once('error', end(false));
  });
}
