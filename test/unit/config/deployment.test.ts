import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environment } from '../../../src/config.ts';

/** The files with which others run the service: they name variables, roles, addresses and options that it has. */

const read = (path: string): string => readFileSync(path, 'utf8');
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const variables = environment.shape;
const roles = ['api', 'projector', 'process'];

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
  readonly spec: any;
}

function manifests(role: string): readonly Manifest[] {
  return parseAllDocuments(read(`ops/k8s/${role}.yaml`)).map((document) => document.toJS({ maxAliasCount: 0 }));
}

describe.each(roles)('the Kubernetes manifest of the role %s', (role) => {
  const byKind = new Map(manifests(role).map((manifest) => [manifest.kind, manifest]));
  const { template, selector, replicas } = byKind.get('Deployment')!.spec;
  const container = template.spec.containers[0] as Container;

  it('runs that role, with variables that the service reads', () => {
    expect(container.env.find(({ name }) => name === 'ROLE')?.value).toBe(role);
    expect(container.env.filter(({ name }) => !(name in variables))).toEqual([]);
  });

  it('asks for the state at addresses of the service, on its port', () => {
    const probes = (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map(
      (name) => container[name]!.httpGet,
    );
    expect(probes.map(({ path }) => path)).toEqual(['/health', '/health', '/ready']);
    const port = parse(read('ops/k8s/config.yaml')).data.PORT;
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    expect(probes.every(({ port }) => port === 'http')).toBe(true);
  });

  it('has a pod of the role left while a node is emptied', () => {
    expect(selector).toEqual(byKind.get('PodDisruptionBudget')!.spec.selector);
    expect(selector.matchLabels).toEqual(template.metadata.labels);
    expect(replicas).toBeGreaterThan(byKind.get('PodDisruptionBudget')!.spec.maxUnavailable);
  });
});

test('docker compose publishes only the API beyond this machine', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { readonly ports?: readonly string[] }>;
  };
  const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.filter((port) => !port.startsWith('127.0.0.1:')).map((port) => `${name} ${port}`),
  );
  expect(open).toEqual([`api $\{PORT:-3000}:3000`]);
});

test('the Kubernetes Service leads to the pods of the role api', () => {
  const kinds = new Map(manifests('api').map((manifest) => [manifest.kind, manifest.spec]));
  expect(kinds.get('Service').selector).toEqual(kinds.get('Deployment').selector.matchLabels);
  expect(kinds.get('Service').ports[0].targetPort).toBe('http');
});

test('the Kubernetes configuration is one that the service takes, and the image has its version', () => {
  const { data } = parse(read('ops/k8s/config.yaml'));
  const given = { ...data, DATABASE_URL: 'postgres://botledger@postgres/botledger' };
  expect(environment.strict().safeParse(given).error?.issues).toBeUndefined();
  const { images, resources } = parse(read('ops/k8s/kustomization.yaml'));
  expect(images).toEqual([{ name: 'botledger', newTag: version }]);
  expect(resources).toEqual(expect.arrayContaining(roles.map((role) => `${role}.yaml`)));
});

test('the systemd unit and the image start the service as `npm start` does', () => {
  const command = scripts['start']!.replace('exec ', '');
  const unit = read('ops/systemd/botledger.service');
  expect(unit).toContain(`\nExecStart=/usr/bin/${command}\n`);
  expect(read('Dockerfile')).toContain(`CMD ${JSON.stringify(command.split(' ')).replaceAll(',', ', ')}`);
  const set = /^Environment=(.+)$/m
    .exec(unit)![1]!
    .split(' ')
    .map((pair) => pair.split('=')[0]!);
  expect(set.filter((name) => name !== 'NODE_ENV' && !(name in variables))).toEqual([]);
});
