import { readFileSync } from 'node:fs';
import { addressOf } from '../engine.ts';
import { askForTls } from '../tls-probe.ts';
import { causes } from './client.ts';
import type { KafkaSecurity } from './security.ts';

const PORT = 9092;
/** kafkajs, src/broker/saslAuthenticator/index.js. */
const UNKNOWN_MECHANISM = /SASL/;
const RIGHTS = /^(TOPIC|CLUSTER|GROUP)_AUTHORIZATION_FAILED$/;

/** Finds why the brokers refuse, and which variable to set. Null: they do not answer, or the error says something else. */
export async function refusalOf(
  error: unknown,
  {
    brokers,
    topic,
    security,
  }: { readonly brokers: readonly string[]; readonly topic: string; readonly security: KafkaSecurity },
): Promise<string | null> {
  const all = [...causes(error)] as (Error & { readonly type?: unknown })[];
  const refused = all.find(({ type }) => typeof type === 'string' && RIGHTS.test(type));
  if (refused !== undefined)
    return `the broker refuses a right (${String(refused.type)}): the user needs Create, Describe, DescribeConfigs, Read and Write on the topics ${topic} and ${topic}-keys`;
  const sasl = all.find(
    ({ name, message }) => name === 'KafkaJSSASLAuthenticationError' || UNKNOWN_MECHANISM.test(message),
  );
  if (sasl !== undefined)
    return `the broker refuses the log-in (${sasl.message}): correct KAFKA_SASL, KAFKA_USERNAME, KAFKA_PASSWORD`;
  return (await refusedTls(brokers, security)) ?? (closes(all, security) ? CLOSED : null);
}

async function refusedTls(brokers: readonly string[], { tls, caFile }: KafkaSecurity): Promise<string | null> {
  const ca = caFile === undefined ? undefined : readFileSync(caFile);
  for (const broker of brokers) {
    const answer = await askForTls(addressOf(broker, PORT), ca);
    if (answer === 'silent') continue;
    if (!tls && answer !== 'plain') return `the broker ${broker} speaks TLS alone: set KAFKA_TLS=on`;
    if (tls && answer === 'plain') return `the broker ${broker} does not speak TLS: set KAFKA_TLS=off`;
    if (tls && answer !== 'trusted' && answer !== 'plain')
      return `the certificate of ${broker} is not trusted (${answer.untrusted}): set KAFKA_TLS_CA_FILE to a file with the certificate of its authority`;
  }
  return null;
}

const CLOSED =
  'the broker closes each connection without an answer, as brokers do that want a user: set KAFKA_SASL, KAFKA_USERNAME and KAFKA_PASSWORD';

function closes(all: readonly Error[], { sasl }: KafkaSecurity): boolean {
  return (
    sasl === undefined &&
    all.some(({ name, message }) => name === 'KafkaJSConnectionClosedError' || /closed connection/i.test(message))
  );
}
