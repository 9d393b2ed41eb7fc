import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Says where the version of a release is missing: `node packages/check-release.js v1.2.3`. Without a tag it only compares the versions
 * with that of the service.
 */
const root = process.env.RELEASE_ROOT ?? dirname(import.meta.dirname);
const read = (path) => readFileSync(join(root, path), 'utf8');
const [tag] = process.argv.slice(2);
const { version } = JSON.parse(read('package.json'));
const folders = readdirSync(join(root, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `packages/${name}`);
const problems = [];
const compare = (place, found) => {
  if (found !== version) problems.push(`${place} has ${found}, and the service ${version}`);
};

compare('package-lock.json', JSON.parse(read('package-lock.json')).version);
for (const folder of folders.filter((each) => existsSync(join(root, each, 'package.json')))) {
  const manifest = JSON.parse(read(`${folder}/package.json`));
  compare(`${folder}/package.json`, manifest.version);
  for (const [name, needed] of Object.entries(manifest.dependencies ?? {}))
    if (name.startsWith('@botledger/')) compare(`${folder}/package.json, ${name}`, needed);
}
compare('packages/python/pyproject.toml', /^version = "(.+)"$/m.exec(read('packages/python/pyproject.toml'))?.[1]);
if (tag !== undefined) {
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, and the service has ${version}`);
  for (const path of ['CHANGELOG.md', ...folders.map((folder) => `${folder}/CHANGELOG.md`)])
    if (!read(path).includes(`\n## [${version}] - `)) problems.push(`${path} has no release ${version}`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
