/** Where this folder reports what it does; a pino logger fits. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}
