import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../../support/source-files.ts';

/** Versions agree, and the workflow publishes each package without a token. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const FOLDERS = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `packages/${name}`);

function check(root: string, ...tag: string[]): { readonly status: number | null; readonly problems: string[] } {
  const env = { ...process.env, RELEASE_ROOT: root };
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'packages/check-release.js'), ...tag], { env });
  return { status, problems: stderr.toString().split('\n').filter(Boolean) };
}

it('all packages have the version of the service', () => {
  expect(check(ROOT)).toEqual({ status: 0, problems: [] });
});

describe('a tag', () => {
  let copy: string;
  const change = (path: string, from: string, to: string): void => {
    const text = readFileSync(join(copy, path), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(copy, path), text.replace(from, to));
  };
  const CHANGELOGS = ['CHANGELOG.md', ...FOLDERS.map((folder) => `${folder}/CHANGELOG.md`)];
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'botledger-release-'));
    const manifests = FOLDERS.flatMap((folder) => [`${folder}/package.json`, `${folder}/pyproject.toml`]);
    for (const path of ['package.json', 'package-lock.json', ...CHANGELOGS, ...manifests])
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(copy, path));
    for (const path of CHANGELOGS)
      if (!readFileSync(join(copy, path), 'utf8').includes(`## [${version}] - `))
        change(path, '## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - 2026-12-01\n`);
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it('is released when all agree with it', () => {
    expect(check(copy, `v${version}`)).toEqual({ status: 0, problems: [] });
  });

  it('of another version is refused', () => {
    const problems = [`the tag is v9.9.9, and the service has ${version}`];
    expect(check(copy, 'v9.9.9')).toEqual({ status: 1, problems });
  });

  it('is refused where a package, its need of the client, or a changelog has another version', () => {
    change('packages/telegraf/package.json', `"version": "${version}"`, '"version": "9.9.9"');
    change('packages/grammy/package.json', `"@botledger/client": "${version}"`, '"@botledger/client": "9.9.8"');
    change('packages/python/pyproject.toml', `version = "${version}"`, 'version = "9.9.7"');
    change('packages/python/CHANGELOG.md', `## [${version}] - `, '## [9.9.6] - ');
    expect(check(copy, `v${version}`).problems).toEqual([
      `packages/grammy/package.json, @botledger/client has 9.9.8, and the service ${version}`,
      `packages/telegraf/package.json has 9.9.9, and the service ${version}`,
      `packages/python/pyproject.toml has 9.9.7, and the service ${version}`,
      `packages/python/CHANGELOG.md has no release ${version}`,
    ]);
  });
});

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

describe('the release workflow', () => {
  const text = read('.github/workflows/release.yml');
  const { on, jobs, permissions } = parse(text) as {
    on: object;
    jobs: Record<string, Job>;
    permissions: object;
  };
  const { test, ...publishing } = jobs;
  const stepsOf = (job: Job): string => job.steps.map(({ run = '' }) => run).join('\n');

  it('runs on a tag of a version, checks it and runs all tests before it publishes', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(stepsOf(test!)).toMatch(/node packages\/check-release\.js "\$GITHUB_REF_NAME"[\s\S]*bash \.ci\/run/);
    expect(Object.values(publishing).map(({ needs }) => needs)).toEqual(['test', 'test']);
  });

  it('has no token: only the jobs that publish may ask for an identity', () => {
    expect(text).not.toMatch(/secrets\.|TOKEN|password/);
    expect(permissions).toEqual({ contents: 'read' });
    expect(test!.permissions).toBeUndefined();
    for (const job of Object.values(publishing))
      expect(job.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  it('publishes each package', () => {
    const [, names] = /for name in (.+); do/.exec(stepsOf(jobs['npm']!))!;
    const withManifest = FOLDERS.filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
    expect(names!.split(' ').map((name) => `packages/${name}`)).toEqual(withManifest);
    expect(stepsOf(jobs['pypi']!)).toContain('python -m build packages/python');
  });

  it('names the versions of actions, those of the pipeline where it has them', () => {
    const usesIn = (name: string) => read(name).match(/(?<=uses: )\S+/g)!;
    const uses = usesIn('.github/workflows/release.yml');
    expect(uses.filter((each) => !/@v\d/.test(each))).toEqual([]);
    const pipeline = new Set(usesIn('.github/workflows/ci.yml'));
    expect([...new Set(uses)].filter((each) => !pipeline.has(each))).toEqual(['pypa/gh-action-pypi-publish@v1.13.0']);
  });
});
