import { connect } from 'node:tls';
import type { Address } from './engine.ts';

/**
 * The answer of a server to a TLS handshake: a trusted certificate; another certificate, and why it is not trusted; something
 * that is not TLS; or nothing. Clients of log engines report all but the first as a server that does not answer.
 */
export type TlsAnswer = 'trusted' | 'plain' | 'silent' | { readonly untrusted: string };

const ANSWER_MS = 2000;
/** Node's codes of certificates that fail a check: OpenSSL's X509_V_ERR_ names, and Node's code for a wrong host. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|CRL/;
/** Node's codes of a server that refuses the connection or is not there. */
const SILENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/;

/** @param ca certificate of the authority, PEM; absent: the well-known authorities */
export function askForTls({ host, port }: Address, ca?: Buffer): Promise<TlsAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(ca === undefined ? {} : { ca }), ALPNProtocols: ['h2', 'http/1.1'] });
    const answer = (found: TlsAnswer): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(ANSWER_MS, () => answer('silent'));
    socket.once('secureConnect', () => answer('trusted'));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '', message } = error;
      if (SILENT.test(code)) answer('silent');
      else answer(CERTIFICATE.test(code) ? { untrusted: message } : 'plain');
    });
  });
}
