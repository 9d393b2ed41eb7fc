import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAlerts, selectorsOf } from '../../support/alerts.ts';
import { ROOT } from '../../support/source-files.ts';

/** The alerts of ops/alerts.yml. That their metrics exist is shown by test/integration/app/metrics.test.ts. */

const alerts = readAlerts();
const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: join(ROOT, 'ops'), encoding: 'utf8' });
const hasPromtool = promtool('--version').error === undefined;

describe('each alert', () => {
  it('has a section of the runbook with its name, and the runbook has no others', () => {
    const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(10);
    expect(sections).toEqual(alerts.map(({ name }) => name));
  });

  it('leads to its section, and says how urgent it is', () => {
    const wrong = alerts.filter(
      ({ name, severity, runbookUrl }) =>
        !['page', 'ticket'].includes(severity ?? '') ||
        !runbookUrl?.endsWith(`/docs/guide/runbook#${name.toLowerCase()}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has a section that says what it means and what to type', () => {
    const wrong = runbook
      .split(/^## /m)
      .slice(1)
      .filter(
        (section) => !/^\*\*Means\.\*\* .{20}/m.test(section) || !/^1\. /m.test(section) || !/^2\. /m.test(section),
      );
    expect(wrong).toEqual([]);
  });

  it('has a test that it fires and one that it is silent', () => {
    const tests = readFileSync(join(ROOT, 'ops/alerts.test.yml'), 'utf8');
    const lacking = alerts.filter(
      ({ name }) => !tests.includes(`name: ${name} fires\n`) || !tests.includes(`name: ${name} is silent\n`),
    );
    expect(lacking).toEqual([]);
  });

  it('reads a metric of the service, or whether the service answers', () => {
    const without = alerts.filter(({ expr }) => selectorsOf(expr).length === 0 && !expr.includes('up{'));
    expect(without).toEqual([]);
  });
});

if (!hasPromtool)
  process.stderr.write('SKIPPED: tests of ops/alerts.yml: promtool is missing (Debian package prometheus)\n');

describe.skipIf(!hasPromtool)('promtool', () => {
  it.each([
    ['test', 'rules', 'alerts.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ])('%s %s %s succeeds', (...args) => {
    const { status, stdout, stderr } = promtool(...args);
    expect(status, stdout + stderr).toBe(0);
  });
});

it('Docker Compose mounts files that exist', () => {
  const mounted = [...readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8').matchAll(/- \.\/(ops[^:]*):/g)];
  expect(mounted.length).toBe(4);
  expect(mounted.filter(([, path]) => !existsSync(join(ROOT, path!)))).toEqual([]);
});
