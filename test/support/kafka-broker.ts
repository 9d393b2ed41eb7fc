import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KafkaContainer } from '@testcontainers/kafka';
import type { TestEngine } from './engines.ts';

/** A Kafka broker for tests. */
export interface KafkaBroker {
  readonly brokers: readonly string[];
  /** The environment of a log on a topic of this broker. */
  readonly env: TestEngine;
  /** Null if the tests did not start the broker, so that they may not kill it. */
  readonly process: BrokerProcess | null;
  stop(): Promise<void>;
}

export interface BrokerProcess {
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts the broker again with its data and its port. */
  start(): Promise<void>;
}

/**
 * The broker of `KAFKA_BROKERS`, else Kafka 4.1 fetched with Maven and run with Java, else a container. If none of the
 * three is there, it prints a line and returns null.
 */
export async function startKafkaBroker(): Promise<KafkaBroker | null> {
  const given = process.env['KAFKA_BROKERS'];
  if (given !== undefined && given !== '')
    return { ...at(given.split(',')), process: null, stop: () => Promise.resolve() };
  const problems: string[] = [];
  for (const start of [() => startWithJava(), startContainer]) {
    try {
      return await start();
    } catch (error) {
      problems.push(error instanceof Error ? error.message.split('\n')[0]! : String(error));
    }
  }
  console.warn(
    `SKIPPED: no Kafka broker to test against. Set KAFKA_BROKERS, or install Java and Maven, or Docker (${problems.join('; ')})`,
  );
  return null;
}

/** Partitions of the tests' topics. */
export const PARTITIONS = 4;

function at(brokers: readonly string[]): Pick<KafkaBroker, 'brokers' | 'env'> {
  const variables = {
    EVENT_LOG: 'kafka',
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_PARTITIONS: String(PARTITIONS),
  };
  return { brokers, env: (topic) => ({ ...variables, KAFKA_TOPIC: topic }) };
}

const run = promisify(execFile);
const KAFKA = '4.1.0';
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>kafka-broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies></project>`;
/** 16 bytes, as text. Separate clusters may have the same id. */
const CLUSTER_ID = 'dGVzdHMgb24gS2Fma2EgMQ';
const START_TIMEOUT_MS = 60_000;
/** Runs a command until stdin ends, then kills it with -9, so that an interrupted test run leaves no broker behind. */
const AS_LONG_AS_STDIN = '"$@" & cat > /dev/null; kill -9 $!; wait';

/** The folder with the broker's jars (43 MB), fetched once per user. */
async function fetchJars(): Promise<string> {
  const cache = join(homedir(), '.cache', 'botledger-kafka');
  const jars = join(cache, KAFKA);
  if (existsSync(jars)) return jars;
  await mkdir(cache, { recursive: true });
  const building = await mkdtemp(join(cache, 'fetch-'));
  try {
    await writeFile(join(building, 'pom.xml'), POM);
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=jars'];
    await run('mvn', ['-q', '-B', ...goal], { cwd: building, timeout: 180_000 });
    // Two test files may fetch at once: the first to finish moves the whole folder into place.
    await rename(join(building, 'jars'), jars).catch((error: unknown) => {
      if (!existsSync(jars)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return jars;
}

/** @param settings further properties of the broker */
export async function startWithJava(settings: Readonly<Record<string, string>> = {}): Promise<KafkaBroker> {
  const jars = await fetchJars();
  const folder = await mkdtemp(join(tmpdir(), 'kafka-'));
  const [port, controllerPort] = [await freePort(), await freePort()];
  const config = join(folder, 'server.properties');
  await writeFile(config, properties(folder, port, controllerPort, settings));
  // Compiles quickly: the broker does not run long enough for the optimizing compiler. At a start that takes as much
  // processor time as everything else.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
  const java = [...quick, '-cp', join(jars, '*')];
  const tool = [...java, '-Xmx128m', 'kafka.tools.StorageTool'];
  await run('java', [...tool, 'format', '--standalone', '-t', CLUSTER_ID, '-c', config]);

  let broker: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const kafka = [...java, '-Xms128m', '-Xmx512m', 'kafka.Kafka', config];
    broker = spawn('sh', ['-c', AS_LONG_AS_STDIN, 'sh', 'java', ...kafka], { stdio: ['pipe', 'ignore', 'ignore'] });
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await accepts(port)))
      if (performance.now() > deadline) throw new Error('the Kafka broker does not answer');
  };
  const kill = async (): Promise<void> => {
    if (broker === null) return;
    const exited = new Promise((resolve) => broker?.once('exit', resolve));
    broker.stdin?.end();
    await exited;
    broker = null;
  };
  await start();
  return {
    ...at([`127.0.0.1:${port}`]),
    process: { kill, start },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function properties(
  folder: string,
  port: number,
  controllerPort: number,
  more: Readonly<Record<string, string>>,
): string {
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    // How long the cleaner sleeps when it finds nothing to clean; 15 s by default.
    'log.cleaner.backoff.ms': 500,
    // A killed broker registers again only after its old session has expired; 9 s by default.
    'broker.session.timeout.ms': 1000,
    'broker.heartbeat.interval.ms': 200,
    ...more,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

async function startContainer(): Promise<KafkaBroker> {
  const container = await new KafkaContainer(`confluentinc/cp-kafka:8.1.0`).withKraft().start();
  return {
    ...at([`${container.getHost()}:${container.getMappedPort(9093)}`]),
    process: null,
    stop: async () => void (await container.stop()),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => setTimeout(resolve, 50, false));
  });
}
