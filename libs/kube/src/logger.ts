/** The logger that the libraries use: structured fields first, then a constant message. A pino logger is one; so is the null logger of tests. */
export interface Logger {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  child(fields: object): Logger;
}
