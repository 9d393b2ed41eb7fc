import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the files that run a suite on an engine first: they are short but take longest, and otherwise a worker would
 * wait for them at the end. Vitest sorts the other files by their sizes.
 */
export class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(runsSuite), ...sorted.filter((file) => !runsSuite(file))];
  }
}

function runsSuite({ moduleId }: TestSpecification): boolean {
  return /from '.*\.(suite|contract)\.ts'/.test(readFileSync(moduleId, 'utf8'));
}
