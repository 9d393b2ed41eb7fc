/** What is wrong, in one line for a person. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** It is in the log, but not every instance is known to have seen it. */
export class ReadModelWaitTimeoutError extends CliError {
  override readonly name = 'ReadModelWaitTimeoutError';
  constructor(seconds: number) {
    super(`recorded, but not in effect everywhere within ${seconds} s`, 3);
  }
}
