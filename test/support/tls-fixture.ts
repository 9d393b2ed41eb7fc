import { readFileSync } from 'node:fs';

/** A self-signed certificate for localhost and 127.0.0.1, until 2126, and its key. Only for tests. */
export const TLS_CERTIFICATE_FILE = 'test/fixtures/tls/certificate.pem';
export const tlsFixture = {
  key: readFileSync('test/fixtures/tls/key.pem'),
  cert: readFileSync(TLS_CERTIFICATE_FILE),
};
