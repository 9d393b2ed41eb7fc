import { connect } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Whether a TCP connection comes about within `ms`: the system of a slow server accepts it all the same. */
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
