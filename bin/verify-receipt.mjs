import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { check, parseNote, signedAt, verifierOf } from './verify.mjs';

/**
 * Checks a receipt of intake without the service: `node verify-receipt.mjs RECEIPT --log-key KEY [--body FILE]`. With --body also that the
 * receipt is for this body of a request. It needs verify.mjs next to it, and nothing else.
 */

const FORM =
  /^botledger-receipt\/v1\nlog (\S+)\nposition (\S+)\ncommit (\S{44})\nrequest (\S{44})\nat (\d{1,15})\ndue (\d{1,15})\n$/;

try {
  const options = { 'log-key': { type: 'string' }, body: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const logKey = values['log-key'];
  const isUsage = positionals.length === 1 && logKey !== undefined;
  check(isUsage, 'usage: node verify-receipt.mjs RECEIPT --log-key KEY [--body FILE]');
  const note = parseNote(readFileSync(positionals[0], 'utf8'));
  const [, log, position, commit, request, at, due] = FORM.exec(note.text) ?? [];
  check(log !== undefined, 'the file is no receipt');
  const verifier = await verifierOf(logKey);
  const isSigned = verifier.type === 1 && verifier.name === log && (await signedAt(note, verifier)) !== null;
  check(isSigned, `the receipt is of ${log}, and not signed by the expected key ${verifier.text}`);
  if (values.body !== undefined) {
    const digest = createHash('sha256').update(readFileSync(values.body)).digest('base64');
    check(digest === request, 'the receipt is for another body');
  }
  const date = (ms) => new Date(Number(ms)).toISOString();
  process.stdout.write(
    [
      `VALID: ${log} has promised on ${date(at)} that it signs a tree with this commit by ${date(due)}.`,
      `Position ${position}, SHA-256 of the commit ${Buffer.from(commit, 'base64').toString('hex')}`,
      'This does not prove that the promise is kept: the operator runs botledger audit receipt.\n',
    ].join('\n'),
  );
} catch (error) {
  process.stderr.write(`NOT VALID: ${error.message}\n`);
  process.exitCode = 1;
}
