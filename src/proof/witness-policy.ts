import { isSignedBy, type NoteVerifier, parseNote, parseVerifier } from './signed-note.ts';

/** A policy of C2SP tlog-policy: the logs and witnesses that a reader trusts, and how many witnesses must have cosigned. */
export interface WitnessPolicy {
  readonly text: string;
  /** Verifier keys. */
  readonly logs: readonly string[];
  readonly witnesses: readonly PolicyWitness[];
  /** Whether cosignatures of these witnesses suffice; null: the policy asks for none. */
  readonly isQuorum: IsQuorum | null;
}

export interface PolicyWitness {
  /** Its name in the policy. */
  readonly name: string;
  readonly verifier: NoteVerifier;
  /** The address that `/add-checkpoint` follows; null: the policy has none. */
  readonly url: string | null;
}

/** @param signed names of the policy's witnesses */
type IsQuorum = (signed: ReadonlySet<string>) => boolean;

/** Whether the signed checkpoint has the cosignatures that the policy asks for. */
export function hasQuorum({ witnesses, isQuorum }: WitnessPolicy, note: string): boolean {
  const parsed = parseNote(note);
  if (isQuorum === null || parsed === null) return isQuorum === null;
  const signed = witnesses.filter(({ verifier }) => isSignedBy(parsed, verifier));
  return isQuorum(new Set(signed.map(({ name }) => name)));
}

/** @returns a text: what is wrong, and in which line */
export function parsePolicy(text: string): WitnessPolicy | string {
  const parser = new PolicyParser();
  for (const [i, line] of text.split('\n').entries()) {
    const problem = parser.take(line);
    if (problem !== null) return `line ${i + 1}: ${problem}`;
  }
  if (parser.quorum === null) return 'it has no line quorum <name>|none';
  return { text, logs: parser.logs, witnesses: parser.witnesses, isQuorum: parser.quorum.isQuorum };
}

class PolicyParser {
  readonly logs: string[] = [];
  readonly witnesses: PolicyWitness[] = [];
  quorum: { readonly isQuorum: IsQuorum | null } | null = null;
  /** Witnesses and groups. */
  readonly #members = new Map<string, IsQuorum>();
  /** Names that a group has: a witness must not count twice. */
  readonly #grouped = new Set<string>();
  readonly #publicKeys = new Set<string>();

  /** @returns what is wrong with the line */
  take(line: string): string | null {
    if ([...line].some((letter) => (letter < ' ' && letter !== '\t') || letter === '\x7f'))
      return 'it has a control character; lines end in a line feed only';
    const [word = '#', ...rest] = line.split(/[ \t]+/).filter((each) => each !== '');
    if (word.startsWith('#')) return null;
    if (word === 'log') return this.#log(rest);
    if (word === 'witness') return this.#witness(rest);
    if (word === 'group') return this.#group(rest);
    if (word === 'quorum') return this.#quorum(rest);
    return `must begin with log, witness, group or quorum, not ${word.slice(0, 40)}`;
  }

  #log([key, , ...more]: readonly string[]): string | null {
    if (key === undefined || more.length > 0) return 'must be log <verifier key> [<url>]';
    const verifier = parseVerifier(key);
    if (verifier === null) return 'the verifier key of a log must be of Ed25519 (type 1) and whole';
    if (!this.#isNewKey('log', verifier)) return 'another log has the same key';
    this.logs.push(key);
    return null;
  }

  #witness([name, key, url, ...more]: readonly string[]): string | null {
    if (name === undefined || key === undefined || more.length > 0)
      return 'must be witness <name> <verifier key> [<url>]';
    const verifier = parseVerifier(key, 'witness');
    if (verifier === null) return 'the verifier key of a witness must be of Ed25519 cosignatures (type 4) and whole';
    if (!this.#isNewKey('witness', verifier)) return 'another witness has the same key';
    if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url)))
      return 'the address of a witness must begin with https:// or http://';
    this.witnesses.push({ name, verifier, url: url?.replace(/\/$/, '') ?? null });
    return this.#define(name, (signed) => signed.has(name));
  }

  #group([name, threshold, ...names]: readonly string[]): string | null {
    if (name === undefined || threshold === undefined || names.length === 0)
      return 'must be group <name> <number>|any|all <name>…';
    const members = names.map((each) => this.#members.get(each));
    const unknown = names.find((_, i) => members[i] === undefined);
    if (unknown !== undefined) return `no line above defines ${unknown}`;
    for (const each of names) {
      if (this.#grouped.has(each)) return `${each} is a member already; it may count once`;
      this.#grouped.add(each);
    }
    const number = /^[1-9]\d{0,5}$/.test(threshold) ? Number(threshold) : 0;
    const needed = threshold === 'any' ? 1 : threshold === 'all' ? names.length : number;
    if (needed < 1 || needed > names.length)
      return `the number of needed members must be any, all, or 1 to ${names.length}`;
    return this.#define(name, (signed) => members.filter((isSigned) => isSigned!(signed)).length >= needed);
  }

  #quorum([name, ...more]: readonly string[]): string | null {
    if (name === undefined || more.length > 0) return 'must be quorum <name>|none';
    if (this.quorum !== null) return 'there is a line quorum already';
    const isQuorum = name === 'none' ? null : this.#members.get(name);
    if (isQuorum === undefined) return `no line above defines ${name}`;
    this.quorum = { isQuorum };
    return null;
  }

  #define(name: string, isQuorum: IsQuorum): string | null {
    if (name === 'none') return 'the name none has a meaning already';
    if (this.#members.has(name)) return `there is a witness or group ${name} already`;
    this.#members.set(name, isQuorum);
    return null;
  }

  #isNewKey(kind: string, { publicKey }: NoteVerifier): boolean {
    const key = `${kind} ${publicKey.toString('hex')}`;
    if (this.#publicKeys.has(key)) return false;
    this.#publicKeys.add(key);
    return true;
  }
}
