/** Signals within this time of the first are the same one: npm and the terminal each deliver a Ctrl-C. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs `stop` at the first SIGTERM or SIGINT and exits when it is done; a second signal exits at once.
 * Exit codes: 0 when all stopped in order, 1 when something did not.
 */
export function stopOnSignal(stop: () => Promise<void>, onProblem: (error: unknown) => void): void {
  let first: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first !== null) {
      if (performance.now() - first > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    first = performance.now();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        onProblem(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
