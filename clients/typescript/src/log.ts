/** Where this package says what goes on: on the console, or where `setLog` says. */

export interface Log {
  /** What a person should see: the server is away, a key is met for the first time. */
  warn(message: string): void;
  info(message: string): void;
}

let current: Log = {
  warn: (message) => console.warn(`handraise: ${message}`),
  info: () => undefined,
};

/** Has everything said there instead. */
export function setLog(log: Log): void {
  current = log;
}

export const log: Log = {
  warn: (message) => current.warn(message),
  info: (message) => current.info(message),
};
