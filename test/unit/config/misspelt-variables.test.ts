import { expect, it } from 'vitest';
import { environment, misspeltVariables } from '../../../src/config.ts';

const known = Object.keys(environment.shape);

it.each([
  ['PROT', 'PORT'],
  ['PORTT', 'PORT'],
  ['HOTS', 'HOST'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['KAFKA_BROKER', 'KAFKA_BROKERS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['RATE_LIMIT_PRE_KEY', 'RATE_LIMIT_PER_KEY'],
])('%s counts as a misspelt %s', (given, meant) => {
  expect(misspeltVariables([given], known)).toEqual([{ given, meant }]);
});

it('variables of usual environments do not count as misspelt', () => {
  const usual =
    'CI COLORTERM DISPLAY EDITOR GPG_TTY HOME HOSTNAME INIT_CWD INVOCATION_ID JAVA_HOME JOURNAL_STREAM KUBERNETES_PORT ' +
    'KUBERNETES_SERVICE_HOST LANG LANGUAGE LC_ALL LESS LOGNAME LS_COLORS MAIL NODE NODE_ENV NODE_OPTIONS NODE_VERSION NO_COLOR ' +
    'OLDPWD PAGER PATH PGDATABASE PGHOST PGPASSWORD PGPORT PGUSER POSTGRES_PASSWORD PS1 PWD SHELL SHLVL SSH_AUTH_SOCK TERM ' +
    'TMPDIR TZ USER USERPROFILE VISUAL WSLENV XDG_DATA_DIRS XDG_RUNTIME_DIR YARN_VERSION TEST_DATABASE_URL';
  expect(misspeltVariables([...usual.split(' '), ...known, 'prot'], known)).toEqual([]);
});
