import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

/** The metadata of the packages, which registries show. The address of the repository has one home: `repository` in package.json. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const root = JSON.parse(read('package.json'));
const address: string = root.repository.url.replace(/^git\+|\.git$/g, '');
const FOLDERS = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const NPM = FOLDERS.filter((name) => existsSync(join(ROOT, 'packages', name, 'package.json')));
const pyproject = read('packages/python/pyproject.toml');

it('finds the packages', () => {
  expect(NPM).toEqual(['client', 'grammy', 'telegraf']);
  expect(FOLDERS).toContain('python');
  expect(address).toMatch(/^https:\/\/[^/]+\/[^/]+\/[^/]+$/);
});

describe.each(NPM)('packages/%s/package.json', (name) => {
  const manifest = JSON.parse(read(`packages/${name}/package.json`));

  it('names the repository, its folder, the page and the place for bugs', () => {
    expect(manifest.repository).toEqual({ ...root.repository, directory: `packages/${name}` });
    expect(manifest.homepage).toBe(`${address}/tree/main/packages/${name}#readme`);
    expect(manifest.bugs).toEqual(root.bugs);
    expect(root.bugs).toEqual({ url: `${address}/issues` });
  });

  it('is published for all, with its provenance', () => {
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    expect(manifest.private).toBeUndefined();
  });

  it('has a license, an author, keywords and a changelog', () => {
    expect([manifest.license, manifest.author]).toEqual([root.license, root.author]);
    expect(root.author).toBeTypeOf('string');
    expect(manifest.keywords).toEqual(expect.arrayContaining(['telegram', 'bot', 'analytics']));
    expect(manifest.files).toContain('CHANGELOG.md');
  });
});

it('the Python package names the same addresses, license and author', () => {
  expect(pyproject).toContain(`authors = [{ name = "${root.author}" }]`);
  expect(pyproject).toContain(`license = "${root.license}"\nlicense-files = ["LICENSE"]`);
  const [, urls] = /^\[project\.urls\]\n((?:.+\n)+)/m.exec(pyproject)!;
  expect(
    Object.fromEntries(
      urls!
        .trim()
        .split('\n')
        .map((line) => line.split(' = ')),
    ),
  ).toEqual({
    Homepage: `"${address}/tree/main/packages/python#readme"`,
    Documentation: `"${address}/blob/main/docs/clients.md"`,
    Repository: `"${address}"`,
    Issues: `"${address}/issues"`,
    Changelog: `"${address}/blob/main/packages/python/CHANGELOG.md"`,
  });
});

describe.each(FOLDERS)('packages/%s', (name) => {
  it('has the license of the repository', () => {
    expect(read(`packages/${name}/LICENSE`)).toBe(read('LICENSE'));
  });

  it('has a changelog whose releases are those of the service', () => {
    const releasesOf = (path: string) => [...read(path).matchAll(/^## \[(.+?)\]/gm)].map(([, version]) => version!);
    const releases = releasesOf(`packages/${name}/CHANGELOG.md`);
    expect(releases[0]).toBe('Unreleased');
    expect(releasesOf('CHANGELOG.md')).toEqual(expect.arrayContaining(releases));
  });

  // Registries show the page without the repository around it.
  it.each(['README.md', 'CHANGELOG.md'])('%s links to nothing outside the package by a relative path', (file) => {
    const targets = [...read(`packages/${name}/${file}`).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !/^(https?:|#)/.test(target))).toEqual([]);
    const others = targets.filter((target) => target.includes('/blob/') || target.includes('/tree/'));
    expect(others.filter((target) => !target.startsWith(`${address}/`))).toEqual([]);
  });
});
