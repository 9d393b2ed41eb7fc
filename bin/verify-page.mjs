import { ProofError, report, verify } from './verify.mjs';

/** The page around the verifier. Text of a file is only ever set as text. The service puts both scripts into one page (src/api/proof/verify-page.ts). */

const byId = (id) => document.getElementById(id);

function element(name, { text, ...properties } = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/** @param columns names and functions from a row to a text or an element; a name that ends in * is of amounts */
function table(caption, columns, rows) {
  const cell = (name, header, content) => element(header, { className: name.endsWith('*') ? 'amount' : '' }, [content]);
  const head = columns.map(([name]) => cell(name, 'th', name.replace('*', '')));
  const lines = rows.map((row) =>
    element(
      'tr',
      {},
      columns.map(([name, value]) => cell(name, 'td', value(row))),
    ),
  );
  return element('table', {}, [
    element('caption', { text: caption }),
    element('thead', {}, [element('tr', {}, head)]),
    element('tbody', {}, lines),
  ]);
}

const unitOf = ({ unit_id }) => String(unit_id ?? 'none');
const dateOf = ({ at }) => new Date(at).toISOString();
const subjectOf = ({ accrual_id, payout_id }) =>
  accrual_id === undefined ? `payout ${payout_id}` : `accrual ${accrual_id}`;

/** The event that caused the row: a link to it if the file has it, else its id. */
function causeOf({ event, proven, missing }) {
  if (event === undefined) return '';
  const text = `event ${event.index} of commit ${event.commit_id}${missing ? ' (the log lacks it, says the file)' : ''}`;
  return proven ? element('a', { text, href: `#commit-${event.commit_id}` }) : text;
}

/** The commits of events in the file. They are checked like the commits of the account. */
function causesOf(file) {
  const commits = (file.data ?? file).causes.map(({ body }) => JSON.parse(body));
  return commits.map(({ id, at, events }) =>
    element('details', { id: `commit-${id}` }, [
      element('summary', { text: `Commit ${id}, ${new Date(at).toISOString()}` }),
      element('pre', { text: JSON.stringify(events, null, 2) }),
    ]),
  );
}

function shown(text, result, isKeyGiven) {
  const [verdict, ...lines] = report(result).split('\n');
  const unsure = 'Signed by a key that you have not compared with the published one. Paste the published key above.';
  return [
    element('p', { id: 'verdict', className: isKeyGiven ? 'valid' : 'unsure', text: verdict }),
    ...(isKeyGiven ? [] : [element('p', { text: unsure })]),
    table(
      'Balance',
      [
        ['Unit', unitOf],
        ...['available', 'reserved', 'paid', 'on_hold'].map((name) => [
          `${name.replace('_', ' ')}*`,
          (row) => row[name],
        ]),
      ],
      result.balances,
    ),
    table(
      'History',
      [
        ['Commit', ({ revision }) => String(revision)],
        ['Date', dateOf],
        ['What', ({ type }) => type.replaceAll('_', ' ')],
        ['Of', subjectOf],
        ['Amount*', ({ amount }) => amount],
        ['Unit', unitOf],
        ['Event that caused it', causeOf],
      ],
      result.history,
    ),
    ...lines.slice(lines.findIndex((line) => line.startsWith('Signed in'))).map((line) => element('p', { text: line })),
    ...causesOf(JSON.parse(text)),
  ];
}

/** The file, the key and the policy that are checked now, or were. */
let asked = {};
async function check() {
  const [file] = byId('file').files;
  const logKey = byId('key').value.trim();
  const policy = byId('policy').value.trim();
  if (file === undefined || (asked.file === file && asked.logKey === logKey && asked.policy === policy)) return;
  const own = { file, logKey, policy };
  asked = own;
  const show = (...nodes) => own === asked && byId('result').replaceChildren(...nodes);
  show(element('p', { text: 'Checking…' }));
  try {
    if (globalThis.crypto?.subtle === undefined)
      throw new ProofError('this browser hashes only on pages over HTTPS: save this page, and open the saved file');
    const text = await file.text();
    const trusted = Object.entries({ logKey, policy }).filter(([, value]) => value !== '');
    const result = await verify(text, Object.fromEntries(trusted));
    show(...shown(text, result, logKey !== ''));
  } catch (error) {
    // Another error than of the proof means that the file could not be read, or a mistake of this page. It is never valid.
    show(element('p', { id: 'verdict', className: 'wrong', text: `NOT VALID: ${error.message}` }));
    if (!(error instanceof ProofError)) throw error;
  }
}

/** A link to an event opens it. */
function openTarget() {
  const target = location.hash === '' ? null : byId(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

const drop = byId('drop');
byId('file').addEventListener('change', check);
byId('key').addEventListener('change', check);
byId('policy').addEventListener('change', check);
addEventListener('hashchange', openTarget);
for (const [name, isOver] of Object.entries({ dragover: true, dragleave: false, drop: false }))
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', isOver);
    if (name !== 'drop') return;
    byId('file').files = event.dataTransfer.files;
    void check();
  });
